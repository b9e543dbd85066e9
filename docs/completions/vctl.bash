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
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--json --help -h"
          fi ;;
      esac ;;
    start)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--json --help -h"
          fi ;;
      esac ;;
    press)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--json --help -h"
          fi ;;
      esac ;;
    lock)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--json --help -h"
          fi ;;
      esac ;;
    release)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--wait --json --help -h"
          fi ;;
      esac ;;
    send)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--wait --json --help -h"
          fi ;;
      esac ;;
    cancel)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--json --help -h"
          fi ;;
      esac ;;
    toggle)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--json --help -h"
          fi ;;
      esac ;;
    record)
      case $prev in
        --output|-o) COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames; return ;;
        --format) words="m4a opus opus16k wav16k wav flac" ;;
        --max) words="" ;;
        --auto-stop) words="" ;;
        --source) words=$(_vctl_ids sources '"id"') ;;
        --target) words="" ;;
        --start) words="" ;;
        *)
          if [[ $cur == -* ]]; then words="--output -o --force -f --format --max --auto-stop --source --target --start --loop --json --help -h"
          fi ;;
      esac ;;
    watch)
      case $prev in
        --format) words="meter json waybar plain" ;;
        --bars) words="" ;;
        *)
          if [[ $cur == -* ]]; then words="--format --bars --ascii --help -h"
          fi ;;
      esac ;;
    monitor)
      case $prev in
        --start) words="" ;;
        --rate) words="" ;;
        *)
          if [[ $cur == -* ]]; then words="--start --loop --rate --json --ascii --help -h"
          elif ((COMP_CWORD == 2)); then words=$(_vctl_ids sources '"id"')
          elif ((COMP_CWORD == 3)); then words=$(_vctl_ids "sources --targets ${COMP_WORDS[2]}" '"target"')
          fi ;;
      esac ;;
    sources)
      case $prev in
        --targets) words=$(_vctl_ids sources '"id"') ;;
        *)
          if [[ $cur == -* ]]; then words="--targets --json --help -h"
          fi ;;
      esac ;;
    use)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--help -h"
          elif ((COMP_CWORD == 2)); then words=$(_vctl_ids sources '"id"')
          elif ((COMP_CWORD == 3)); then words=$(_vctl_ids "sources --targets ${COMP_WORDS[2]}" '"target"')
          fi ;;
      esac ;;
    takes)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--json --help -h"
          fi ;;
      esac ;;
    recover)
      case $prev in
        --output|-o) COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames; return ;;
        --format) words="m4a opus opus16k wav16k wav flac" ;;
        *)
          if [[ $cur == -* ]]; then words="--output -o --force -f --format --json --help -h"
          elif ((COMP_CWORD == 2)); then words=$(_vctl_ids takes '"take"')
          fi ;;
      esac ;;
    forget)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--help -h"
          elif ((COMP_CWORD == 2)); then words=$(_vctl_ids takes '"take"')
          fi ;;
      esac ;;
    waveform)
      case $prev in
        --for) words="raw matrix matrix256 telegram whatsapp" ;;
        *)
          if [[ $cur == -* ]]; then words="--for --packed --help -h"
          elif ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames; return
          fi ;;
      esac ;;
    access)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--json --help -h"
          elif ((COMP_CWORD == 2)); then words="on off"
          fi ;;
      esac ;;
    doctor)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--json --help -h"
          fi ;;
      esac ;;
    completions)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--help -h"
          elif ((COMP_CWORD == 2)); then words="bash zsh fish"
          fi ;;
      esac ;;
    help)
      case $prev in
        *)
          if [[ $cur == -* ]]; then words="--help -h"
          elif ((COMP_CWORD == 2)); then words="status start press lock release send cancel toggle record watch monitor sources use takes recover forget waveform access doctor completions help"
          fi ;;
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _vctl vctl
