import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noAnvil } from '../support/chains/anvil.ts'
import { eventually } from '../support/clock/eventually.ts'
import { runBlocks } from '../support/stack/document.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

const root = join(import.meta.dirname, '../..')
const pages = ['docs/use/approvals.md', 'docs/use/payments.md']

describe.runIf(process.platform === 'linux' && noAnvil === undefined)(
  'the documents of approvals and payments',
  () => {
    let market: Awaited<ReturnType<typeof startMarket>>
    let stack: OwnStack
    beforeAll(async () => {
      market = await startMarket()
      stack = await startOwnStack(market.settings)
    })
    afterAll(async () => {
      await stack?.[Symbol.asyncDispose]()
      await market?.end()
    })

    it('work as written, and print what they show, from the first words to a withdrawal', async () => {
      const at = stack.now()
      const printed = await runBlocks(
        ['README.md', 'docs/use/connect.md', ...pages],
        'tour|programs|permits',
        {
          at,
          environment: { ...market.settings, DATA_DIR: at.dataDir, BACKEND_URL: at.backend },
          timeout: 280_000,
        },
      )
      const output = printed.join('')
      const lines = pages.flatMap(shownLines)
      expect(lines.length).toBeGreaterThan(20)
      for (const line of lines) expect(output).toMatch(line)
    }, 300_000)
  },
)

/** Returns a pattern for each line of output that a page shows after a block. */
function shownLines(page: string): RegExp[] {
  const text = readFileSync(join(root, page), 'utf8')
  const shown = text.matchAll(
    /^```sh permits\n(?:(?!^```).*\n)*```\n\n```\n((?:(?!^```).*\n)*)```/gm,
  )
  return [...shown].flatMap(([, output = '']) =>
    output
      .trimEnd()
      .split('\n')
      .map((line) => new RegExp(line.split(differing).map(literal).join('.*'))),
  )
}

/** Values that differ between runs, and omissions. */
const differing =
  /0x[0-9a-fA-F]{4,}…?| ?… ?|\b[a-z]{3}_[0-9a-z]{26}|[\d-]{10}T[\d:.]+Z|localhost:\d+/

const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

/** Runs `npm run market`. */
async function startMarket() {
  const child = spawn(process.execPath, [join(root, 'tests/support/x402/market.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await eventually(() => expect(output).toContain('SELLER='), 60_000)
  const lines = output.matchAll(/^export (\w+)=(.+)$/gm)
  return {
    settings: Object.fromEntries(Array.from(lines, ([, name, value]) => [name, value])) as Record<
      string,
      string
    >,
    async end() {
      const exit = once(child, 'exit')
      child.kill('SIGINT')
      await exit
    },
  }
}
