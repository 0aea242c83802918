import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serve } from '@hono/node-server'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { says, startUpstream, usage } from '#tests/support/ai/upstream.ts'
import { noAnvil, startAnvil } from '#tests/support/chains/anvil.ts'
import { startFacilitator } from '#tests/support/chains/facilitator.ts'
import { startTestTable } from '#tests/support/platform/table.ts'
import { balanceOf, mint, paidGateway, payTo, placeUsdc } from '#tests/support/x402/paid-gateway.ts'

const root = join(import.meta.dirname, '../../..')

it.skipIf(noAnvil)('the client of docs/use/x402.md pays and gets its answer', async () => {
  await using started = new AsyncDisposableStack()
  const [anvil, database, models] = await Promise.all([
    startAnvil(8453),
    startTestTable(),
    startUpstream(),
  ])
  for (const each of [anvil, database, models]) started.defer(() => each.close())
  const facilitator = await startFacilitator(anvil)
  started.defer(() => facilitator.close())
  await placeUsdc(anvil)
  models.serve('openai/gpt-4o-mini', says('Hello!', usage(3, 2)))
  const settings = {
    AI_BASE_URL: models.baseUrl,
    X402_PAY_TO: payTo,
    X402_FACILITATOR_URL: facilitator.url,
  }
  const { fetch } = paidGateway({ table: database.table, settings })
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' })
  started.defer(() => void server.close())
  const key = generatePrivateKey()
  await mint(anvil, privateKeyToAccount(key).address, 10_000n)

  const page = readFileSync(join(root, 'docs/use/x402.md'), 'utf8')
  const [, code = ''] = /```js client\n([^]*?)```/.exec(page) ?? []
  expect(code).toContain('x402Client')
  const { port } = server.address() as AddressInfo
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', code],
    {
      cwd: root,
      env: { PRIVATE_KEY: key, GATEWAY: `http://127.0.0.1:${port}/api/v1/gateway` },
    },
  )
  expect(stdout).toContain("text: 'Hello!'")
  expect(await balanceOf(anvil, payTo)).toBe(10_000n)
})
