# bash completion for vctl; made by "vctl completions bash".
_vctl_ids() {
  vctl $1 --json 2>/dev/null | grep -o "$2:[^,}]*" | cut -d: -f2- | tr -d '"'
}
_vctl() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "status start press lock release send cancel toggle record watch monitor sources use takes recover forget waveform access doctor completions help --help --version" -- "$cur"))
    return
  fi
  case ${COMP_WORDS[1]} in
    status)
      if [[ $cur == -* ]]; then words="--json --help -h"
      fi ;;
    start)
      if [[ $cur == -* ]]; then words="--json --help -h"
      fi ;;
    press)
      if [[ $cur == -* ]]; then words="--json --help -h"
      fi ;;
    lock)
      if [[ $cur == -* ]]; then words="--json --help -h"
      fi ;;
    release)
      if [[ $cur == -* ]]; then words="--wait --json --help -h"
      fi ;;
    send)
      if [[ $cur == -* ]]; then words="--wait --json --help -h"
      fi ;;
    cancel)
      if [[ $cur == -* ]]; then words="--json --help -h"
      fi ;;
    toggle)
      if [[ $cur == -* ]]; then words="--json --help -h"
      fi ;;
    record)
      case $prev in
        --output|-o) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
        --format) words="m4a opus opus16k wav16k wav flac"
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
        --max) words=""
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
        --auto-stop) words=""
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
        --source) words=$(_vctl_ids sources '"id"')
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
        --target) words=$(_vctl_ids "sources --targets ${COMP_WORDS[2]}" '"target"')
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
      esac
      if [[ $cur == -* ]]; then words="--output -o --force -f --format --max --auto-stop --source --target --json --help -h"
      fi ;;
    watch)
      case $prev in
        --format) words="meter json waybar plain"
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
        --bars) words=""
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
      esac
      if [[ $cur == -* ]]; then words="--format --bars --ascii --help -h"
      fi ;;
    monitor)
      case $prev in
        --rate) words=""
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
      esac
      if [[ $cur == -* ]]; then words="--rate --json --ascii --help -h"
      elif ((COMP_CWORD == 2)); then words=$(_vctl_ids sources '"id"')
      else words=$(_vctl_ids "sources --targets ${COMP_WORDS[2]}" '"target"')
      fi ;;
    sources)
      case $prev in
        --targets) words=$(_vctl_ids sources '"id"')
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
      esac
      if [[ $cur == -* ]]; then words="--targets --json --help -h"
      fi ;;
    use)
      if [[ $cur == -* ]]; then words="--help -h"
      elif ((COMP_CWORD == 2)); then words=$(_vctl_ids sources '"id"')
      else words=$(_vctl_ids "sources --targets ${COMP_WORDS[2]}" '"target"')
      fi ;;
    takes)
      if [[ $cur == -* ]]; then words="--json --help -h"
      fi ;;
    recover)
      case $prev in
        --output|-o) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
        --format) words="m4a opus opus16k wav16k wav flac"
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
      esac
      if [[ $cur == -* ]]; then words="--output -o --force -f --format --json --help -h"
      else words=$(_vctl_ids takes '"take"')
      fi ;;
    forget)
      if [[ $cur == -* ]]; then words="--help -h"
      else words=$(_vctl_ids takes '"take"')
      fi ;;
    waveform)
      case $prev in
        --for) words="raw matrix matrix256 telegram whatsapp"
          COMPREPLY=($(compgen -W "$words" -- "$cur")); return ;;
      esac
      if [[ $cur == -* ]]; then words="--for --packed --help -h"
      else compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return
      fi ;;
    access)
      if [[ $cur == -* ]]; then words="--json --help -h"
      else words="on off"
      fi ;;
    doctor)
      if [[ $cur == -* ]]; then words="--json --help -h"
      fi ;;
    completions)
      if [[ $cur == -* ]]; then words="--help -h"
      else words="bash zsh fish"
      fi ;;
    help)
      if [[ $cur == -* ]]; then words="--help -h"
      else words="status start press lock release send cancel toggle record watch monitor sources use takes recover forget waveform access doctor completions help"
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _vctl vctl
