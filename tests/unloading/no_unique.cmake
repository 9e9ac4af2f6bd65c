# SPDX-License-Identifier: Apache-2.0
# No variable of nopal's is unique in a process: glibc would never unload a plugin that has it.
execute_process(COMMAND ${nm} -DC ${plugin} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]* u (guard variable for |construction vtable for )?nopal[^\n]*" unique
  "${symbols}")
if(NOT symbols MATCHES " T use_plugin")
  message(FATAL_ERROR "These are not the symbols of the plugin:\n${symbols}")
elseif(unique)
  message(FATAL_ERROR "Unique, and so to be NOPAL_HIDDEN:\n${unique}")
endif()
