import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cheapest, offersIn } from './offer.ts'

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const payTo = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const on = { chainId: 8453, token: usdc }
const good = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: usdc,
  payTo,
  amount: '10000',
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
}

const inBody = (value: unknown) => ({
  header: undefined,
  body: Buffer.from(JSON.stringify(value)),
})

const asking = (change: object) =>
  offersIn(inBody({ x402Version: 2, accepts: [{ ...good, ...change }] }), on)

it('a demand is read from the header or the body, with the host’s own words', () => {
  const required = { x402Version: 2, accepts: [good], resource: { url: 'https://a.example' } }
  const offer = {
    payee: payTo,
    microUsd: 10_000n,
    seconds: 60,
    envelope: { x402Version: 2, accepted: good, resource: required.resource },
  }
  expect(offersIn(inBody(required), on)).toEqual([offer])
  const header = Buffer.from(JSON.stringify(required)).toString('base64')
  expect(offersIn({ header, body: Buffer.from('<html>') }, on)).toEqual([offer])
})

it.each([
  { scheme: 'upto' },
  { network: 'eip155:1' },
  { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
  { network: 'base' },
  { asset: payTo },
  { payTo: '0x0000000000000000000000000000000000000000' },
  { payTo: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe' },
  { payTo: 'ada.eth' },
  { amount: '0' },
  { amount: '-1' },
  { amount: '0.01' },
  { amount: '1e4' },
  { amount: '0x10' },
  { amount: ' 1' },
  { amount: '01' },
  { amount: 10_000 },
  { amount: '9'.repeat(79) },
  { amount: 'Infinity' },
  { amount: null },
  { maxTimeoutSeconds: -100 },
  { maxTimeoutSeconds: 0 },
  { maxTimeoutSeconds: 1.5 },
  { maxTimeoutSeconds: '60' },
  { extra: { assetTransferMethod: 'permit2' } },
  { extra: { paymentFlow: 'escrow' } },
  { extra: { note: 'x'.repeat(9000) } },
])('a demand with %j cannot be paid', (change) => {
  expect(asking(change)).toEqual([])
})

it('a demand of another version cannot be paid', () => {
  expect(offersIn(inBody({ x402Version: 1, accepts: [good] }), on)).toEqual([])
  expect(offersIn(inBody({ accepts: [good] }), on)).toEqual([])
})

it('the cheapest of several demands is taken', () => {
  const accepts = [good, { ...good, amount: '9' }, { ...good, amount: '10' }, { amount: '1' }]
  const offers = offersIn(inBody({ x402Version: 2, accepts }), on)
  expect(offers).toHaveLength(3)
  expect(cheapest(offers)?.microUsd).toBe(9n)
  expect(cheapest([])).toBeUndefined()
})

it('any bytes are read without an error', () => {
  fc.assert(
    fc.property(fc.option(fc.string(), { nil: undefined }), fc.uint8Array(), (header, bytes) => {
      expect(offersIn({ header, body: Buffer.from(bytes) }, on)).toEqual([])
    }),
  )
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(offersIn(inBody({ x402Version: 2, accepts: [value] }), on)).toEqual([])
    }),
  )
})
