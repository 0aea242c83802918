import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { sellPage } from '#shared/tools/page-sales/sell.ts'
import { type Anvil, noAnvil, startAnvil } from '#tests/support/chains/anvil.ts'
import { type Facilitator, startFacilitator } from '#tests/support/chains/facilitator.ts'
import { startTestTable } from '#tests/support/platform/table.ts'
import { pagesCaller, type Site, startSite } from '#tests/support/tools/pages.ts'
import {
  balanceOf,
  newPayer,
  type Payer,
  payTo,
  placeUsdc,
} from '#tests/support/x402/paid-gateway.ts'
import * as info from '../info.ts'

const price = '0.002'

it.skipIf(process.env.CARRIER === 'workerd')(
  'a price without a recipient returns 503, and names the missing setting',
  async () => {
    const config = loadConfig({ SUMMARIZER_PRICE_USD: price })
    const call = pagesCaller({
      allowed: [],
      sell: (ctx, order) => sellPage({ ...ctx, table: undefined as never, config, price }, order),
    })
    const { status, body } = await call('/api/summarize', { url: 'http://127.0.0.1/' })
    expect([status, body.missing]).toEqual([503, ['X402_PAY_TO', 'X402_FACILITATOR_URL']])
    expect((await call('/api/summarize', {})).status).toBe(400)
  },
)

it.each([
  [{}, { payTo: null, note: expect.stringContaining('Free') }],
  [{ X402_PAY_TO: payTo }, { payTo: null }],
  [
    { X402_PAY_TO: payTo, SUMMARIZER_PRICE_USD: price },
    { payTo, note: expect.stringContaining(price) },
  ],
])('the description names the price of a page: %j', async (settings, payment) => {
  const config = loadConfig(settings)
  const { routes } = info
  const app = createApp({
    surface: 'summarizer',
    name: 'i',
    routes,
    settings: config,
    ...info.wire(config),
  })
  expect(await (await app.request('/')).json()).toMatchObject({ payment })
})

const skipped = process.env.CARRIER === 'workerd' ? 'its services are made here' : noAnvil

describe.skipIf(skipped)(
  `a page that costs something${skipped ? ` (skipped: ${skipped})` : ''}`,
  () => {
    let anvil: Anvil
    let facilitator: Facilitator
    let database: Awaited<ReturnType<typeof startTestTable>>
    let site: Site
    let requestCount: number
    let writes: number
    let payer: Payer
    let call: ReturnType<typeof pagesCaller>
    let earned: bigint

    beforeAll(async () => {
      ;[anvil, database] = await Promise.all([startAnvil(8453), startTestTable()])
      facilitator = await startFacilitator(anvil)
      await placeUsdc(anvil)
      site = await startSite(({ url }, response) => {
        requestCount++
        const headers = { 'content-type': 'text/html' }
        const title = url === '/long' ? '"'.repeat(2_000_000) : 'Paid'
        response.writeHead(url === '/gone' ? 404 : 200, headers).end(`<title>${title}</title>`)
      })
      const config = loadConfig({ X402_PAY_TO: payTo, X402_FACILITATOR_URL: facilitator.url })
      const table: Table = {
        ...database.table,
        update: (...given) => {
          writes++
          return database.table.update(...given)
        },
      }
      call = pagesCaller({
        allowed: [site.host],
        sell: (ctx, order) => sellPage({ ...ctx, table, config, price }, order),
      })
    })
    afterAll(() =>
      Promise.all([facilitator.close(), anvil.close(), database.close(), site.close()]),
    )
    beforeEach(async () => {
      requestCount = 0
      writes = 0
      payer = await newPayer(anvil)
      earned = await balanceOf(anvil, payTo)
    })

    const income = async () => (await balanceOf(anvil, payTo)) - earned
    const ask = (paid = {}, path = '/') => call('/api/summarize', { url: site.origin + path }, paid)
    const pay = async () => payer.sign((await ask()).body as unknown as PaymentRequired)

    it('requires a payment before it is fetched, and is paid once per answer', async () => {
      const due = await ask()
      expect([due.status, requestCount]).toEqual([402, 0])
      const required = decodePaymentRequiredHeader(due.headers.get('payment-required') ?? '')
      expect(required).toMatchObject({ resource: { url: 'http://localhost:3100/api/summarize' } })
      expect(required.accepts).toMatchObject([
        { scheme: 'exact', amount: '2000', network: 'eip155:8453' },
      ])
      const paid = await pay()
      const { status, body, headers } = await ask(paid)
      expect([status, body.title, await income()]).toEqual([200, 'Paid', 2000n])
      expect(decodePaymentResponseHeader(headers.get('payment-response') ?? '').success).toBe(true)
      expect(await ask(paid)).toMatchObject({ status: 409, body: { code: 'PAYMENT_USED' } })
      expect([requestCount, await income()]).toEqual([1, 2000n])
    })

    it('a page is free if it cannot be read, and the payment stays valid', async () => {
      const paid = await pay()
      expect((await ask(paid, '/gone')).status).toBe(500)
      expect((await call('/api/summarize', { url: 'http://10.0.0.1/' }, paid)).status).toBe(400)
      expect(await income()).toBe(0n)
      expect((await ask(paid)).status).toBe(200)
    })

    it('accepts a payment that is valid for a long time', async () => {
      const due = (await ask()).body as unknown as PaymentRequired
      const accepts = due.accepts.map((each) => ({ ...each, maxTimeoutSeconds: 1e16 }))
      expect((await ask(await payer.sign({ ...due, accepts }))).status).toBe(200)
      expect(await income()).toBe(2000n)
    })

    it('a page is not returned if its payment is not settled', async () => {
      const paid = await pay()
      facilitator.meets('settle', { status: 200, body: { success: false, errorReason: 'no' } })
      expect((await ask(paid)).status).toBe(402)
      expect((await ask(paid)).status).toBe(200)
      expect(await income()).toBe(2000n)
    })

    it('a page is returned once its settlement is known, after a lost response', async () => {
      const paid = await pay()
      facilitator.meets('settle', 'lost')
      expect((await ask(paid)).status).toBe(502)
      expect(await income()).toBe(2000n)
      expect((await ask(paid)).status).toBe(200)
      expect(await income()).toBe(2000n)
    })

    it('a page is not returned for another’s payment, or for an invalid one', async () => {
      for (const header of ['', 'x', 'e30='])
        expect((await ask({ 'payment-signature': header })).status).toBe(402)
      const poor = await newPayer(anvil, 0n)
      const unpaid = await poor.sign((await ask()).body as unknown as PaymentRequired)
      expect((await ask(unpaid)).status).toBe(402)
      expect(requestCount).toBe(0)
    })

    it('writes a row only after the payment is verified', async () => {
      const poor = await newPayer(anvil, 0n)
      const due = (await ask()).body as unknown as PaymentRequired
      const forged = await payer.sign(due)
      const [[header = '', shownBy = ''] = []] = Object.entries(forged)
      const read = JSON.parse(atob(shownBy)) as { payload: { signature: string } }
      read.payload.signature = `0x${'1'.repeat(128)}1b`
      const shown = [
        await poor.sign(due),
        { [header]: btoa(JSON.stringify(read)) },
        await payer.sign({ ...due, accepts: [{ ...due.accepts[0]!, amount: '1' }] }),
      ]
      for (const each of shown) expect((await ask(each)).status).toBe(402)
      expect([writes, requestCount, await income()]).toEqual([0, 0, 0n])
      facilitator.meets('verify', { status: 503, body: {} })
      expect((await ask(await pay())).status).toBe(502)
      expect(writes).toBe(0)
    })

    it('a page is free if its response would exceed the size limit', async () => {
      const paid = await pay()
      expect((await ask(paid, '/long')).status).toBe(500)
      expect(await income()).toBe(0n)
      expect((await ask(paid)).status).toBe(200)
    })

    it('a page is returned once if the same payment is sent concurrently', async () => {
      const paid = await pay()
      const statuses = (await Promise.all([1, 2, 3].map(() => ask(paid)))).map(
        ({ status }) => status,
      )
      expect(statuses.toSorted()).toEqual([200, 409, 409])
      expect(await income()).toBe(2000n)
    })
  },
)
