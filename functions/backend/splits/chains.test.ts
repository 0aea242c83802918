import { type Hex, parseTransaction } from 'viem'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { readPayments } from '#shared/network/splits/payments.ts'
import { startAnvil } from '#tests/support/chains/anvil.ts'
import { place } from '#tests/support/chains/contracts.ts'
import { testSigner } from '#tests/support/chains/signer.ts'
import { usdcCode } from '#tests/support/chains/usdc.ts'
import {
  newAddress,
  recipients,
  type SplitWorld,
  startSplits,
  usdc,
} from '#tests/support/network/splits.ts'

let world: SplitWorld

beforeAll(async () => {
  world = await startSplits()
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

const procedure = () => vi.fn<() => Promise<{ signed: number }>>()

it('a signature for one chain is not valid for another', async () => {
  const payer = await world.newPayer()
  const splitId = await world.create(payer, { totalAmount: '3', recipients: recipients(3) })
  await world.until(splitId)
  const begun = await world.create(payer, { totalAmount: '3', recipients: recipients(3) })
  await world.anvil.request('evm_setAutomine', false)
  while ((await world.split(begun)).status === 'queued') await world.next()
  const signer = {
    signPayments: procedure(),
    replacePayments: procedure(),
    fillNonces: procedure(),
  }
  const other = await startAnvil(84_532)
  const wallet = payer.address.toLowerCase()
  for (let looks = 0; looks < 6; looks++) {
    await world.look({ wallet }, { url: other.url, chainId: 84_532, signer })
    await other.request('anvil_mine', '0x4')
    world.pass(31)
  }
  expect(await other.request('eth_getTransactionCount', payer.address, 'latest')).toBe('0x0')
  for (const called of Object.values(signer)) expect(called).not.toHaveBeenCalled()
  expect(await world.split(begun)).toMatchObject({ status: 'processing' })
  await other.close()
  await world.anvil.request('evm_setAutomine', true)
  // It continues once the settings name its chain again, because the tick still finds it.
  world.sent.length = 0
  expect(await world.until(begun)).toMatchObject({ status: 'completed' })
})

it('a payment for one chain or token that has not begun is never signed for another', async () => {
  const payer = await world.newPayer()
  const [first, second] = [await world.create(payer), await world.create(payer)]
  const wallet = payer.address.toLowerCase()
  const signer = {
    signPayments: procedure(),
    replacePayments: procedure(),
    fillNonces: procedure(),
  }
  const other = await startAnvil(84_532)
  await world.look({ wallet }, { url: other.url, chainId: 84_532, signer })
  const token = newAddress()
  await place(world.anvil, token, usdcCode)
  await world.look({ wallet }, { token, signer })
  for (const called of Object.values(signer)) expect(called).not.toHaveBeenCalled()
  for (const splitId of [first, second])
    expect(await world.split(splitId)).toMatchObject({
      status: 'queued',
      reason: expect.stringContaining('another EVM_CHAIN_ID or USDC_ADDRESS'),
    })
  await other.close()
  for (const splitId of [first, second])
    expect(await world.until(splitId)).toMatchObject({ status: 'completed', reason: null })
})

it('a payment signed for one token is replaced for no other', async () => {
  const payer = await world.newPayer()
  const splitId = await world.create(payer, { totalAmount: '3', recipients: recipients(2) })
  const wallet = payer.address.toLowerCase()
  await world.anvil.request('evm_setAutomine', false)
  while ((await world.split(splitId)).status === 'queued') await world.next()
  await world.anvil.request('anvil_dropAllTransactions')
  await world.anvil.request('anvil_mine', '0x4')
  world.pass(31)
  const token = newAddress()
  await place(world.anvil, token, usdcCode)
  const settings = { EVM_CHAIN_ID: 8453, USDC_ADDRESS: token }
  const signer = testSigner(world.table, undefined, settings)({ requestId: 'req_1', askedBy: 'u' })
  await world.look({ wallet }, { token, signer })
  await world.anvil.request('evm_setAutomine', true)
  const signed = await readPayments(world.table, { wallet, chainId: 8453 }, 0)
  expect(Math.max(...signed.map((one) => one.try))).toBe(2)
  for (const { raw } of signed) expect(parseTransaction(raw as Hex).to).toBe(usdc.toLowerCase())
  expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
})
