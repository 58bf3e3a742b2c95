# In a CMakeLists.txt: sets `agents` to a source file that embeds the agents of the portable adarun in the order in which a
# node tries them. ADARUN_OTHER_AGENTS names those for other processors, "MACHINE=FILE", unless this build makes them, too.
# As a script, cmake -DOUTPUT=FILE "-DAGENTS=NAME,MACHINE,FILE;..." -P embed_agents.cmake: writes that file.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  set(embedded agent,${CMAKE_SYSTEM_PROCESSOR},${bin}/adarun-agent
               agent-static,${CMAKE_SYSTEM_PROCESSOR},${bin}/adarun-agent-static)
  set(built adarun-agent adarun-agent-static)
  if(TARGET agent_aarch64)
    list(APPEND embedded agent-static-aarch64,aarch64,${bin}/adarun-agent-static-aarch64)
    list(APPEND built agent_aarch64 ${bin}/adarun-agent-static-aarch64)
  endif()
  foreach(other IN LISTS ADARUN_OTHER_AGENTS)
    string(REGEX REPLACE "=.*" "" machine ${other})
    string(REGEX REPLACE "^[^=]*=" "" file ${other})
    list(APPEND embedded agent-static-${machine},${machine},${file})
    list(APPEND built ${file})
  endforeach()
  set(agents ${CMAKE_CURRENT_BINARY_DIR}/embedded_agents.cpp)
  add_custom_command(
    OUTPUT ${agents}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${agents} "-DAGENTS=${embedded}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_agents.cmake
    DEPENDS ${built} ${CMAKE_SOURCE_DIR}/cmake/embed_agents.cmake
    VERBATIM)
  set_source_files_properties(${agents} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  return()
endif()

set(contents "")
set(declarations "")
set(builds "")
foreach(agent IN LISTS AGENTS)
  string(REPLACE "," ";" words ${agent})
  list(GET words 0 name)
  list(GET words 1 machine)
  list(GET words 2 file)
  string(MAKE_C_IDENTIFIER ${name} symbol)
  file(SIZE ${file} size)
  execute_process(COMMAND b2sum -l 256 ${file} OUTPUT_VARIABLE hash COMMAND_ERROR_IS_FATAL ANY)
  string(SUBSTRING "${hash}" 0 64 hash)
  # Not local: for aarch64 the linker would take the first one for all of them.
  string(APPEND contents "    \".globl adarun_${symbol}; .hidden adarun_${symbol}; adarun_${symbol}: .incbin \\\"${file}\\\"\\n\"\n")
  string(APPEND declarations "extern \"C\" __attribute__((visibility(\"hidden\"))) const char adarun_${symbol}[];\n")
  string(APPEND builds "      {\"${name}\", {adarun_${symbol}, ${size}}, \"${hash}\", \"${machine}\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/embed_agents.cmake.
#include \"launcher/transport/reach/agent_source.h\"

asm(\".pushsection .rodata\\n\"
${contents}    \".popsection\\n\");
${declarations}
namespace adarun::launcher {

std::vector<AgentBuild> embedded_agents() {
  return {
${builds}  };
}

}  // namespace adarun::launcher
")
