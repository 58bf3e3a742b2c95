# cmake -DOUTPUT=FILE -DNAMESPACE=NAME -DINPUTS=A,B -P embed.cmake: writes a header with each file's text as a constant
# named after it (style.css: style_css).
set(text "// Made by cmake/embed.cmake.\n#pragma once\n\n#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
string(REPLACE "," ";" inputs "${INPUTS}")
foreach(input IN LISTS inputs)
  get_filename_component(name ${input} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${input} content)
  string(APPEND text "\ninline constexpr std::string_view ${name} = R\"embedded(${content})embedded\";\n")
endforeach()
string(APPEND text "\n}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${text}")
