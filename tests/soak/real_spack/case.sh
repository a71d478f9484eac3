# Makes a case in the current folder, with the configuration of $CONFIG: the steps $1 change copies of the caches in $BASE;
# $2 are the roots.
. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
export SPACK_USER_CONFIG_PATH=$PWD/cfg
cp -r "$CONFIG/cfg" cfg
sed -i "s|$CONFIG/opt|$PWD/opt|; s|$CONFIG/stage|$PWD/stage|" cfg/config.yaml
set -e
eval "$1"
eval "printf '%s\n' $2" >roots
