# Unverified: nobody has built this package yet.
from pathlib import Path

from spack.package import *


class Park(CMakePackage):
    """Learning-augmented computer systems: environments, policies and comparisons."""

    license("Apache-2.0")

    # This checkout, by `spack develop` or as it is; a release would name an archive and its SHA-256.
    version("0.1.0", branch="main", git=f"file://{Path(__file__).resolve().parents[4]}")

    variant("bridge", default=True, description="Environments and policies in other processes")
    variant("train", default=False, description="Training and playing of networks by LibTorch")

    requires("platform=linux")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("cli11@2.1:")
    depends_on("libsodium@1.0.18:")
    depends_on("lz4")
    depends_on("nlohmann-json@3.11:")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("capnproto@0.9:", when="+bridge", type=("build", "link"))
    depends_on("cppzmq@4.9:", when="+bridge")
    depends_on("libzmq@4.3.4:+libsodium", when="+bridge")
    depends_on("highway@1.0.3:", when="+train")
    depends_on("gloo", when="+train")
    depends_on("py-torch@1.13:", when="+train")

    def cmake_args(self):
        args = [self.define_from_variant("PARK_BRIDGE", "bridge"),
                self.define_from_variant("PARK_AGENTS", "train"),
                self.define("PARK_UNITY", True)]
        args += [self.define(f"PARK_{part}", False) for part in ("TESTS", "BENCH", "EXAMPLES")]
        if self.spec.satisfies("+train"):
            torch = Path(self.spec["python"].package.platlib) / "torch"
            args.append(self.define("Torch_DIR", self.spec["py-torch"].prefix / torch / "share/cmake/Torch"))
        return args
