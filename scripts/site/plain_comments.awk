# Escapes what Doxygen would take for a command or a tag in the comments of a header, but not in `code`.
{
  at = index($0, "///")
  if (at == 0) { print; next }
  start = at + (substr($0, at, 4) == "///<" ? 4 : 3)
  count = split(substr($0, start), parts, "`")
  text = ""
  for (i = 1; i <= count; ++i) {
    if (i % 2 == 1) { gsub(/[\\@<>#]/, "\\\\&", parts[i]) }
    text = text (i > 1 ? "`" : "") parts[i]
  }
  print substr($0, 1, start - 1) text
}
