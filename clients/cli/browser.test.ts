import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryDir } from '../../stacks/local/testing/harness.ts'
import { eventually } from '../../tests/support/clock/eventually.ts'
import { json, startFailingServer } from '../../tests/support/http/failing-server.ts'
import { programSource } from '../../tests/support/programs/command-line.ts'
import { hasTerminals, terminal } from '../../tests/support/programs/terminal.ts'

it.runIf(hasTerminals)('only web addresses are opened, in their normal form', async () => {
  const refused = ['file:///etc/passwd', 'vscode://install?x=1', '--version', 'not an address']
  const urls = [...refused, 'HTTPS://Agent.Example/a b']
  await using platform = await startFailingServer(...urls.map((url) => json(200, { url })))
  await using folder = await temporaryDir()
  const opened = join(folder.path, 'opened')
  const opener = `#!/bin/sh\nprintf '%s\\n' "$@" >> '${opened}'\n`
  for (const name of ['xdg-open', 'open'])
    await writeFile(join(folder.path, name), opener, { mode: 0o755 })
  const environment = {
    PATH: folder.path,
    PLATFORM_URL: platform.url,
    PLATFORM_API_KEY: 'sk_test',
  }
  for (const url of urls) {
    await using at = await terminal([process.execPath, programSource, 'open', 'agt_1'], environment)
    await eventually(async () => expect(await at.screen()).toContain('ended with 0'))
    const screen = await at.screen()
    if (refused.includes(url))
      expect(screen).toContain(`Not opened: this is not an http or https address: ${url}`)
    else expect(screen).not.toContain('Not opened')
  }
  // Each opener starts before the next command does, so waiting for the last one is enough.
  await eventually(async () =>
    expect(await readFile(opened, 'utf8')).toContain('https://agent.example/a%20b\n'),
  )
  expect(await readFile(opened, 'utf8')).toBe('https://agent.example/a%20b\n')
})
