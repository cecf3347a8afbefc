# Installation: headers, libraries, the command, bundled data, and a package for find_package(park).
