import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noAnvil } from '../support/chains/anvil.ts'
import { eventually } from '../support/clock/eventually.ts'
import { runBlocks } from '../support/stack/document.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

const program = join(import.meta.dirname, '../support/x402/market.ts')

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

    it('work as written, from the first words to a withdrawal', async () => {
      const at = stack.now()
      const printed = await runBlocks(
        ['README.md', 'docs/use/connect.md', 'docs/use/approvals.md', 'docs/use/payments.md'],
        'tour|programs|permits',
        {
          at,
          environment: { ...market.settings, DATA_DIR: at.dataDir, BACKEND_URL: at.backend },
          timeout: 280_000,
        },
      )
      const output = printed.join('')
      for (const part of [
        /guarded, 2 rules\n1\. Deny requests with a broker credential/,
        /approvalId[^]*Create the scheduled task News[^]*approved\ndenied\nstate: done\ntsk_\w+ +Brief/,
        /denied Create the scheduled task News\napr_\w+ done Create the scheduled task Brief/,
        /Your owner's note: Only this one\./,
        /3\. Deny changes of its scheduled tasks[^]*denied by rule 3 of its policy/,
        /100 USDC and 1 ETH[^]*"balance_usdc":100,"chain_id":8453}[^]*perPaymentUsd +0\.05[^]*usedThisMonthUsd +0\n/,
        /x-payment-id: apy_[^]*the goods[^]*0\.010000 +settled +0x/,
        /"amount":"2\.50","state":"completed"/,
      ])
        expect(output).toMatch(part)
    }, 300_000)
  },
)

/** Runs `npm run market`. */
async function startMarket() {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
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
