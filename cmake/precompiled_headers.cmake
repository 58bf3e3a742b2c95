# Precompiled headers. Standard headers take up to a second of each source file, and GoogleTest's another half: they are
# compiled once for each set of options that our targets have. CLI11's and JSON's among them would make the files slower
# that do not need them. Whether a header includes what it needs is checked by tests/structure/headers.py.
set(adarun_standard_headers
    <algorithm> <array> <cerrno> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <deque>
    <exception> <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <sstream>
    <stdexcept> <string> <string_view> <system_error> <thread> <tuple> <unordered_map> <utility> <variant> <vector>)

# adarun_precompile(TARGET): gives it the headers of its options, unless it has others. Called at the end of its folder,
# when its options are known: adarun_target() arranges for that.
function(adarun_precompile target)
  get_target_property(own ${target} PRECOMPILE_HEADERS)
  get_target_property(shared ${target} PRECOMPILE_HEADERS_REUSE_FROM)
  get_target_property(relocatable ${target} POSITION_INDEPENDENT_CODE)
  if(own OR shared OR relocatable)
    return()
  endif()

  set(holder adarun_headers)
  set(headers ${adarun_standard_headers})
  set(libraries "")
  foreach(property HARDENED COLD TEST)
    get_target_property(${property} ${target} ADARUN_${property})
    if(${property})
      string(TOLOWER ${property} word)
      string(APPEND holder _${word})
    endif()
  endforeach()
  if(TEST)
    list(APPEND headers <gtest/gtest.h>)
    list(APPEND libraries GTest::gtest)
  endif()

  if(NOT TARGET ${holder})
    set(nothing ${CMAKE_BINARY_DIR}/precompiled/${holder}.cpp)
    file(CONFIGURE OUTPUT ${nothing} CONTENT "// No code: its precompiled headers are used.\n")
    add_library(${holder} OBJECT ${nothing})
    set_target_properties(${holder} PROPERTIES CXX_EXTENSIONS OFF)
    target_link_libraries(${holder} PRIVATE adarun_settings ${libraries})
    if(HARDENED)
      target_link_libraries(${holder} PRIVATE adarun_hardening)
    endif()
    if(COLD)
      adarun_cold(${holder})
    endif()
    target_precompile_headers(${holder} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${holder})
endfunction()
