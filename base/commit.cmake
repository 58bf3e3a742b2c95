# cmake -DGIT=PROGRAM -DSOURCE=FOLDER -DOUTPUT=FILE -P commit.cmake: writes a header with the commit that FOLDER is at,
# and whether there are changes since; an empty text if FOLDER is not the top of a working tree, such as an unpacked
# tarball (even inside another repository). A header with the same content is not rewritten.
set(commit "")
if(GIT AND EXISTS ${SOURCE}/.git)
  # In a hook or `git rebase --exec` these may name another repository.
  foreach(name GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX)
    unset(ENV{${name}})
  endforeach()
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
                  RESULT_VARIABLE status OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    execute_process(COMMAND ${GIT} -C ${SOURCE} --no-optional-locks status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND commit ", changed")
    endif()
  else()
    set(commit "")
  endif()
endif()
set(content "// Made by base/commit.cmake.\n#pragma once\n\n#include <string_view>\n
namespace adarun::base {\n\ninline constexpr std::string_view commit = \"${commit}\";\n
}  // namespace adarun::base\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT content STREQUAL before)
  file(WRITE ${OUTPUT} "${content}")
endif()
