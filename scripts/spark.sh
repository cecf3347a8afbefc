#!/usr/bin/env bash
# Builds the plugin for Apache Spark and fetches a stock Spark to run it in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  echo "Usage: scripts/spark.sh [LINE...] [tpch[=SCALE]] [python] [yarn] [kubernetes] [connect]"
  echo "Makes, for each line of Spark (4 and 3.5; by default 4),"
  echo "  build/spark/park-spark-LINE.jar   the plugin (systems/spark/jvm)"
  echo "  build/spark/spark-LINE/jars       a stock Spark, from Maven's packages"
  echo "and with tpch"
  echo "  build/spark/tpch/queries          the queries of TPC-H, from the tests of Spark"
  echo "  build/spark/tpch/sf0.01           10 MB of data for them, by tpchgen-cli; or of SCALE GB"
  echo "and with python"
  echo "  build/spark/python-4              PySpark, with the jars of spark-4 (450 MB to download)"
  echo "and with yarn or kubernetes, for the tests on them,"
  echo "  build/spark/cluster-4/jars        a stock Spark with their backends, from PySpark (450 MB)"
  echo "  build/spark/yarn/jars             a YARN for one machine (110 MB)"
  echo "  build/spark/kubernetes/jars       a server that stands for Kubernetes (20 MB)"
  echo "and with connect"
  echo "  build/spark/connect               PySpark's client of Spark Connect, and the server's jars"
  echo "and does nothing where they are there and newer than their sources. The exit status is 77"
  echo "where Java, Maven, Python or their packages are not there."
  echo "Example: scripts/spark.sh 4 3.5 tpch"
}

skip() {
  echo "spark: $*"
  exit 77
}

# maven LINE LOG ARGUMENT...: runs Maven on the plugin; 77 where packages cannot be had.
maven() {
  local line=$1 log=$2 profile=()
  # Its processes are over before it pays to compile much.
  local -x JDK_JAVA_OPTIONS='-XX:+UseSerialGC -XX:TieredStopAtLevel=1'
  shift 2
  if [[ $line == 3.5 ]]; then profile=(-Pspark-3.5); fi
  if mvn --batch-mode -Dstyle.color=never -f systems/spark/pom.xml "${profile[@]}" \
    -Dpark.build="$PWD/build/spark/client" -Dpark.spark.build="$PWD/build/spark/plugin-$line" \
    "$@" >"$log" 2>&1; then
    return
  fi
  if grep -qE 'Could not transfer (artifact|metadata)|Unknown host' "$log"; then
    skip "Maven's packages are not on this machine and cannot be downloaded; see $log"
  fi
  grep -E "WARN|ERROR" "$log" | head -n 40
  exit 1
}

build_plugin() {
  local line=$1 jar=build/spark/park-spark-$1.jar
  if [[ -e $jar && -z $(find systems/spark/pom.xml systems/spark/jvm systems/spark/schema bridge/java \
    bridge/schema -type f -not -path '*/target/*' -newer "$jar" -print -quit) ]]; then
    return
  fi
  maven "$line" "build/spark/plugin-$line.log" -Dmaven.test.skip=true package
  cp "build/spark/plugin-$line/park-spark-$line.jar" "$jar"
}

fetch_spark() {
  local folder=build/spark/spark-$1
  if [[ -e $folder/complete ]]; then return; fi
  rm -rf "$folder"
  maven "$1" "build/spark/spark-$1.log" -pl jvm -am -Dmaven.test.skip=true package \
    org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
    -DincludeScope=provided -DoutputDirectory="$PWD/$folder/jars"
  rm -f "$folder"/jars/park-*.jar
  touch "$folder/complete"
}

fetch_queries() {
  local folder=build/spark/tpch/queries jar=spark-sql_2.13-4.1.3-tests.jar
  if [[ -e $folder/q22.sql ]]; then return; fi
  maven 4 build/spark/tpch-queries.log -pl jvm -DoutputDirectory="$PWD/build/spark/tpch" \
    org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    -Dartifact=org.apache.spark:spark-sql_2.13:4.1.3:jar:tests
  mkdir -p "$folder"
  (cd "$folder" && jar xf "../$jar" tpch && mv tpch/q*.sql . && rm -r tpch* "../$jar")
}

# generate_data SCALE. Several files for a large table, since a file is a task at least.
generate_data() {
  local scale=$1 work=build/spark/tpch table parts
  if [[ -e $work/sf$scale ]]; then return; fi
  if [[ ! -e $work/venv/bin/tpchgen-cli ]]; then
    python3 -m venv --clear "$work/venv" || skip "python3 makes no environments"
    "$work/venv/bin/pip" install --quiet tpchgen-cli==4.0.0 || skip "pip cannot install tpchgen-cli"
  fi
  rm -rf "$work/part"
  for table in lineitem orders partsupp customer part supplier nation region; do
    case $table in lineitem) parts=6 ;; orders | partsupp) parts=3 ;; *) parts=1 ;; esac
    "$work/venv/bin/tpchgen-cli" parquet -q -s "$scale" -T "$table" -p "$parts" -o "$work/part"
  done
  mv "$work/part" "$work/sf$scale"
}

# PySpark, without the jars that are there already.
fetch_python() {
  local folder=$PWD/build/spark/python-4
  if [[ -e $folder/complete ]]; then return; fi
  rm -rf "$folder"
  python3 -m venv "$folder/venv" || skip "python3 makes no environments"
  "$folder/venv/bin/pip" download --quiet --no-deps --no-binary pyspark --dest "$folder" \
    pyspark==4.1.3 || skip "pip cannot download pyspark"
  tar xzf "$folder/pyspark-4.1.3.tar.gz" -C "$folder" --strip-components=1 \
    --exclude='*/deps/jars/*' --exclude='*/deps/examples/*' --exclude='*/deps/data/*'
  rm -r "$folder/pyspark-4.1.3.tar.gz" "$folder/venv"
  ln -s ../spark-4/jars "$folder/jars"
  ln -s deps/bin "$folder/bin"
  touch "$folder/complete"
}

# A Spark with the backends of YARN and Kubernetes: Maven has none of this line for YARN.
fetch_cluster_spark() {
  local folder=build/spark/cluster-4
  if [[ -e $folder/complete ]]; then return; fi
  rm -rf "$folder"
  python3 -m venv "$folder/venv" || skip "python3 makes no environments"
  "$folder/venv/bin/pip" download --quiet --no-deps --no-binary pyspark --dest "$folder" \
    pyspark==4.1.3 || skip "pip cannot download pyspark"
  tar xzf "$folder/pyspark-4.1.3.tar.gz" -C "$folder" --strip-components=2 pyspark-4.1.3/deps/jars
  rm -r "$folder/pyspark-4.1.3.tar.gz" "$folder/venv"
  touch "$folder/complete"
}

# fetch_cluster NAME: what stands for a cluster of that kind.
fetch_cluster() {
  local folder=build/spark/$1
  fetch_cluster_spark
  if [[ -e $folder/complete ]]; then return; fi
  rm -rf "$folder"
  mkdir -p "$folder"
  if ! mvn --batch-mode -Dstyle.color=never -f tests/systems/spark/clusters/pom.xml "-P$1" \
    org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
    -DoutputDirectory="$PWD/$folder/jars" >"build/spark/$1.log" 2>&1; then
    grep -E "WARN|ERROR" "build/spark/$1.log" | head -n 10
    skip "Maven's packages for $1 cannot be had; see build/spark/$1.log"
  fi
  touch "$folder/complete"
}

fetch_connect() {
  local folder=build/spark/connect
  fetch_cluster_spark
  if [[ -e $folder/complete ]]; then return; fi
  python3 -m venv --clear "$folder" || skip "python3 makes no environments"
  "$folder/bin/pip" install --quiet pyspark-client==4.1.3 || skip "pip cannot install pyspark-client"
  touch "$folder/complete"
}

main() {
  if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    usage
    return
  fi
  if [[ $# -eq 0 ]]; then set -- 4; fi
  for tool in javac mvn; do
    command -v "$tool" >/dev/null || skip "there is no $tool; scripts/setup.sh java installs it"
  done
  mkdir -p build/spark
  local line
  for line in "$@"; do
    if [[ $line =~ ^tpch(=(0\.0*[1-9][0-9]*|[1-9][0-9]*))?$ ]]; then
      local scale=${BASH_REMATCH[2]:-0.01}
      mkdir -p build/spark/tpch
      fetch_queries
      generate_data "$scale"
      continue
    fi
    if [[ $line == python ]]; then
      fetch_python
      continue
    fi
    if [[ $line == connect ]]; then
      fetch_connect
      continue
    fi
    if [[ $line == yarn || $line == kubernetes ]]; then
      fetch_cluster "$line"
      continue
    fi
    if [[ $line != 4 && $line != 3.5 ]]; then
      echo "spark: unknown line '$line'; allowed are 4, 3.5, tpch, tpch=SCALE, python, yarn, kubernetes and connect" >&2
      return 2
    fi
    build_plugin "$line"
    fetch_spark "$line"
  done
}

main "$@"
