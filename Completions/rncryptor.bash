# Completion of rncryptor for bash. Names of files are left to the shell (-o default), which quotes them.
_rncryptor() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options=''
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W 'encrypt decrypt verify inspect diagnose rekey keygen --help --version' -- "$current"))
        return
    fi
    case $previous in
        --key-file|--new-key-file|--new-password-file|--output|--password-file|-o) compopt -o default; return ;;
        --new-password-env|--password-env) COMPREPLY=($(compgen -e -- "$current")); return ;;
        --accept) COMPREPLY=($(compgen -W 'v1 v0 v1,v0' -- "$current")); return ;;
        --iterations|--iterations-up-to|--new-iterations|--new-password-fd|--password-fd|--spool-limit|--suffix) return ;;
    esac
    case ${COMP_WORDS[1]} in
        encrypt) options='-o --output --suffix -r --recursive -f --force --skip-existing --remove-source --base64 --lines --fresh-salts --password-file --password-env --password-fd --key-file --empty-password --iterations --progress -q --quiet -h --help' ;;
        decrypt) options='-o --output --suffix -r --recursive -f --force --skip-existing --remove-source --base64 --lines --spool-limit --accept --accept-shortened-passwords --password-file --password-env --password-fd --key-file --empty-password --iterations --progress -q --quiet -h --help' ;;
        verify) options='-r --recursive --suffix --accept --accept-shortened-passwords --password-file --password-env --password-fd --key-file --empty-password --iterations --progress -q --quiet -h --help' ;;
        inspect) options='-r --recursive --suffix --accept -h --help' ;;
        diagnose) options='-r --recursive --suffix --json --iterations-up-to --password-file --password-env --password-fd --key-file --empty-password --iterations -h --help' ;;
        rekey) options='-o --output -r --recursive --suffix -f --force --spool-limit --accept --accept-shortened-passwords --password-file --password-env --password-fd --key-file --empty-password --iterations --new-password-file --new-password-env --new-password-fd --new-key-file --new-empty-password --new-iterations --progress -q --quiet -h --help' ;;
        keygen) options='-o --output -h --help' ;;
    esac
    case $current in
        -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
        *) compopt -o default ;;
    esac
}
complete -F _rncryptor rncryptor
