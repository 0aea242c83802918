import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryDir } from '#stacks/local/testing/harness.ts'
import { eventually } from '../support/clock/eventually.ts'
import { program } from '../support/programs/command-line.ts'
import { hasTerminals, terminal } from '../support/programs/terminal.ts'

/** The setup of each shell's completion in docs/use/cli.md. Needs `apt-get install -y zsh fish`. */
const shells = [
  { shell: ['/bin/bash', '--norc', '-i'], begin: 'source <(agents completion bash)' },
  {
    shell: ['/usr/bin/zsh', '-f', '-i'],
    begin: 'autoload -U compinit && compinit -D -u && source <(agents completion zsh)',
  },
  { shell: ['/usr/bin/fish', '--no-config', '-i'], begin: 'agents completion fish | source' },
] as const

for (const { shell, begin } of shells) {
  const [path] = shell
  it.runIf(hasTerminals && existsSync(path))(
    `${path} completes commands with the tab key`,
    async () => {
      await using folder = await temporaryDir()
      const script = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`
      await writeFile(join(folder.path, 'agents'), script, { mode: 0o755 })
      await using at = await terminal(shell, { PATH: `${folder.path}:/usr/bin:/bin` })
      const shows = (words: RegExp) =>
        eventually(async () => expect(await at.screen()).toMatch(words))

      await at.type(`${begin}; echo "be""gun"`)
      await at.press('Enter')
      await shows(/^begun/m)
      await at.type('agents snap')
      await at.press('Tab')
      await shows(/agents snapshots $/m)
      await at.type('cr')
      await at.press('Tab')
      await shows(/agents snapshots create/)
      // If several match, the shell lists all of them.
      await at.press('C-c')
      await at.type('agents log')
      await at.press('Tab')
      await at.press('Tab')
      await shows(/login[^]*logout[^]*logs/)
    },
  )
}
