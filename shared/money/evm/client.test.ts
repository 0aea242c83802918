import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeErrorResult, erc20Abi, parseAbi, zeroAddress, zeroHash } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readContract } from './read-contract.ts'
import { readChainId, readReceipt } from './receipt.ts'

const requests: string[] = []
let answer: object
let origin: string

const server = createServer((request, response) => {
  requests.push(request.url ?? '')
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }))
})
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  requests.length = 0
})

const rpc = () => ({ url: `${origin}/secret`, setting: 'EVM_RPC_URL' as const })
const balance = () =>
  readContract(rpc(), {
    address: zeroAddress,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [zeroAddress],
  })
const receipt = { status: '0x1', blockNumber: '0x7', logs: [] }

describe('a contract', () => {
  it('is read', async () => {
    answer = { result: `0x${'7'.padStart(64, '0')}` }
    expect(await balance()).toBe(7n)
  })

  it.each([
    ['is missing', { result: '0x' }],
    ['returns another format', { result: '0x01' }],
    ['refuses', { error: { code: 3, message: 'execution reverted' } }],
    ['reverts with a message', { error: { code: -32000, message: 'VM Execution Error' } }],
  ])('a contract that %s has no value', async (_, given) => {
    answer = given
    expect(await balance()).toBeUndefined()
  })

  it('cannot redirect the platform to another host (EIP-3668)', async () => {
    const lookup =
      'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)'
    const data = encodeErrorResult({
      abi: parseAbi([lookup]),
      args: [zeroAddress, [`${origin}/elsewhere/{sender}/{data}`], '0x', '0x00000000', '0x'],
    })
    answer = { error: { code: 3, message: 'execution reverted', data } }
    expect(await balance()).toBeUndefined()
    expect(requests).toEqual(['/secret'])
  })
})

describe('a node', () => {
  it('returns its chain and the state of a transaction', async () => {
    answer = { result: '0x1079' }
    expect(await readChainId(rpc())).toBe(4217)
    answer = { result: receipt }
    expect(await readReceipt(rpc(), zeroHash)).toMatchObject({ status: 'success', logs: [] })
    answer = { result: { ...receipt, status: '0x0' } }
    expect(await readReceipt(rpc(), zeroHash)).toMatchObject({ status: 'reverted' })
    for (const result of [null, { ...receipt, blockNumber: null }]) {
      answer = { result }
      expect(await readReceipt(rpc(), zeroHash)).toBeUndefined()
    }
  })

  it.each([
    ['is overloaded', { error: { code: -32005, message: 'limit exceeded: /secret' } }],
    ['returns invalid hex', { result: true }],
    ['returns nothing', {}],
  ])(
    'a node that %s causes the error unavailable, which does not contain its address',
    async (_, given) => {
      answer = given
      for (const ask of [balance, () => readChainId(rpc()), () => readReceipt(rpc(), zeroHash)]) {
        const failure = (await ask().catch((error: unknown) => error)) as Error
        expect(failure).toMatchObject({ name: 'PlatformError', kind: 'unavailable' })
        expect(`${failure.message} ${String(failure.cause)}`).not.toContain('secret')
      }
    },
  )

  it('a node that cannot be reached causes the error unavailable', async () => {
    const gone = { url: 'http://127.0.0.1:1/secret', setting: 'EVM_RPC_URL' as const }
    await expect(readReceipt(gone, zeroHash)).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(readChainId(gone)).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
