find_package(park REQUIRED COMPONENTS core no_such_component)
