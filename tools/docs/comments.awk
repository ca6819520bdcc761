# The project's headers as doxygen reads them. The comment at the top of a file, laid out by hand, becomes the text of
# the file's page, as it stands; in C every comment before a declaration counts. Lines keep their numbers.
FNR == 1 && sub(/^(\/\/|\/\*) /, "/** \\verbatim ") { top = 1 }
top && FNR > 1 && /^ \*\// {  # the end in C
  sub(/\*\//, "\\endverbatim \\file */")
  top = 0
}
top && FNR > 1 && !/^(\/\/| \*)/ {  # after the end in C++
  held = held " \\endverbatim \\file */"
  top = 0
}
FNR > 1 { print held }
{
  held = $0
  if (top) sub(/^(\/\/| \*) ?/, "", held)
  sub(/^\/\* [^-]/, "/*&", held)
  sub(/^\/\*\/\*/, "/**", held)
}
END { print held }
