import { buildChoiceParser, buildCommand } from '@stricli/core'
import type { Context } from './command.ts'

/** The completion script of each shell. It calls `agents __complete` with the words so far; the last may be incomplete. */
const scripts = {
  bash: `_agents() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(agents __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _agents agents`,
  zsh: `_agents() {
  local -a found
  found=("\${(@f)$(agents __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _agents agents`,
  fish: `complete -c agents -f -a '(agents __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
} as const

export const completion = buildCommand({
  docs: { brief: 'Print the completion script for bash, zsh or fish' },
  parameters: {
    flags: {},
    positional: {
      kind: 'tuple',
      parameters: [
        { parse: buildChoiceParser(['bash', 'zsh', 'fish']), brief: 'shell', placeholder: 'shell' },
      ],
    },
  },
  func(this: Context, _: object, shell: keyof typeof scripts) {
    this.cli.out(scripts[shell])
  },
})
