# The static agent for aarch64 nodes, adarun-agent-static-aarch64, if Debian's cross compiler (g++-aarch64-linux-gnu) is
# installed: builds this source again, in a build folder below this one. ADARUN_AARCH64_LIBC: as ADARUN_STATIC_LIBC.
find_program(ADARUN_AARCH64_CC aarch64-linux-gnu-gcc)
find_program(ADARUN_AARCH64_CXX aarch64-linux-gnu-g++)
if(NOT ADARUN_AARCH64_CC OR NOT ADARUN_AARCH64_CXX OR CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  return()
endif()

set(aarch64_flags -O2)
if(CMAKE_CXX_FLAGS MATCHES "-O[1g]") # The presets for developers: less time for the compiler.
  set(aarch64_flags ${CMAKE_MATCH_0})
endif()
include(ExternalProject)
set(agent_aarch64 ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/adarun-agent-static-aarch64)
ExternalProject_Add(
  agent_aarch64
  PREFIX ${CMAKE_BINARY_DIR}/aarch64
  SOURCE_DIR ${CMAKE_SOURCE_DIR}
  BINARY_DIR ${CMAKE_BINARY_DIR}/aarch64
  CMAKE_ARGS -DCMAKE_SYSTEM_NAME=Linux
             -DCMAKE_SYSTEM_PROCESSOR=aarch64
             -DCMAKE_C_COMPILER=${ADARUN_AARCH64_CC}
             -DCMAKE_CXX_COMPILER=${ADARUN_AARCH64_CXX}
             -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
             -DCMAKE_CXX_FLAGS=${aarch64_flags}
             -DCMAKE_CXX_FLAGS_RELEASE=${CMAKE_CXX_FLAGS_RELEASE}
             -DADARUN_STATIC_LIBC=${ADARUN_AARCH64_LIBC}
             -DADARUN_AGENT_ONLY=ON
  BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> --parallel 2 --target adarun-agent-static
  BUILD_ALWAYS ON
  INSTALL_COMMAND ${CMAKE_COMMAND} -E copy_if_different <BINARY_DIR>/bin/adarun-agent-static ${agent_aarch64}
  BUILD_BYPRODUCTS ${agent_aarch64})
if(NOT ADARUN_PORTABLE)
  install(PROGRAMS ${agent_aarch64} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT adarun)
endif()
