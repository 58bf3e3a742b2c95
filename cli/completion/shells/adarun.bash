# SPDX-License-Identifier: Apache-2.0
# Completion of adarun in bash: adarun itself says what may come next.

_adarun() {
  local line=${COMP_LINE:0:COMP_POINT} words=() places=() answer=() skip=0 i word blank kinds reply first

  # bash cuts words at = and : too. What it calls a word now begins `skip` characters into what stands between blanks.
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    blank=${line%%[![:blank:]]*}
    line=${line:${#blank}}
    word=${word:0:${#line}}
    line=${line:${#word}}
    if [ "$i" -eq 0 ] || [ -n "$blank" ]; then
      words+=("$word")
      places+=("$i")
      skip=0
    else
      skip=${#words[-1]}
      words[-1]+=$word
      case $word in = | :) skip=${#words[-1]} ;; esac
    fi
  done

  mapfile -t answer < <(command "${1/#\~\//$HOME/}" complete -- "${words[@]:1}" 2>/dev/null)
  kinds=" ${answer[0]-} "
  COMPREPLY=()
  for reply in "${answer[@]:1}"; do
    reply=${reply%%$'\t'*}
    COMPREPLY+=("${reply:skip}")
  done
  case $kinds in *" open "*) compopt -o nospace 2>/dev/null ;; esac
  case $kinds in
    *" program "*)
      first=${kinds##* program }
      first=${places[first + 1]}
      if declare -F _command_offset >/dev/null; then
        _command_offset "$first"
      elif [ "$COMP_CWORD" -eq "$first" ]; then
        mapfile -t COMPREPLY < <(compgen -c -- "${words[-1]}")
      else
        compopt -o default 2>/dev/null
      fi
      ;;
    *" files "*)
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${words[-1]:skip}")
      compopt -o filenames 2>/dev/null
      ;;
    *" folders "*)
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "${words[-1]:skip}")
      compopt -o filenames 2>/dev/null
      ;;
  esac
}

complete -F _adarun adarun
