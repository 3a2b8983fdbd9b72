# Writes a C++ file that holds descriptions as raw strings.
#   cmake -D output=FILE -D models=DIRECTORY -D hardware=DIRECTORY -P embed.cmake
cmake_minimum_required(VERSION 3.25)

# Sets `result` to the definition of `function`, a table of the directory's descriptions by name.
function(table_of_descriptions result function directory)
  file(GLOB files LIST_DIRECTORIES false ${directory}/*.yaml)
  set(names "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM LAST_ONLY name)
    list(APPEND names ${name})
  endforeach()
  list(SORT names COMPARE STRING)
  set(rows "")
  foreach(name IN LISTS names)
    file(READ "${directory}/${name}.yaml" text)
    string(APPEND rows "      {\"${name}\", R\"bta_yaml(${text})bta_yaml\"},\n")
  endforeach()
  set(${result} "
std::span<const Builtin> ${function}() {
  static constexpr Builtin descriptions[] = {
${rows}  };
  return descriptions;
}
" PARENT_SCOPE)
endfunction()

table_of_descriptions(models_table builtin_models ${models})
table_of_descriptions(hardware_table builtin_hardware ${hardware})
file(WRITE ${output}
  "#include \"input/builtin.h\"\n\nnamespace bta {\n${models_table}${hardware_table}\n}  // namespace bta\n")
