#include "park/check/subject.h"

#include "park/check/stream_env.h"
#include "park/core/text.h"

namespace park::check {

std::string Subject::name() const { return parse_text(text).text; }

std::unique_ptr<Stream> Subject::open(const EpisodeSource& source,
                                      const StreamOptions& options) const {
  return registry->stream(text, source, options);
}

Subject make_subject(const Registry& registry, std::string_view text) {
  Subject s;
  s.registry = &registry;
  s.text = text;
  const EnvOfText env = registry.env(text);
  s.spec = env.spec();
  s.policies = registry.policies_for(s.spec);
  if (env.simulated()) {
    s.make = env.factory();
  } else if (!s.spec.traits.system) {
    s.elsewhere = true;
    s.make = [&registry, text = s.text, spec = s.spec] {
      return std::make_unique<StreamEnv>(registry, text, spec);
    };
  }
  return s;
}

}  // namespace park::check
