import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PaymentPayload } from '@x402/core/types'
import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi, toHex } from 'viem'
import { usdc } from './paid-gateway.ts'

/**
 * The facilitator's behavior for a settlement; `lost` executes it without a response, and `emptied` refuses it because
 * the payer has emptied the account since the verification.
 */
export type SettlementBehaviour = 'settles' | 'lost' | 'refuses' | 'emptied' | 'hangs up'

interface Settled {
  from: Hex
  to: Hex
  value: string
}

const abi = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

/**
 * A facilitator without a chain: it stores which nonces it has settled. The same server answers as a node with one block,
 * whose logs contain them.
 */
export async function startPlayedFacilitator() {
  const settled = new Map<string, Settled>()
  const words = new Map<string, SettlementBehaviour[]>()
  const emptied = new Set<string>()

  function settles({ payload }: PaymentPayload, verb: string | undefined): object | undefined {
    const { nonce, ...paid } = payload.authorization as { nonce: string } & Settled
    const without = emptied.has(nonce) ? 'insufficient_funds' : undefined
    const used = settled.has(nonce) ? 'nonce_already_used' : without
    if (verb === '/verify')
      return used === undefined ? { isValid: true } : { isValid: false, invalidReason: used }
    const word = words.get(nonce)?.shift() ?? 'settles'
    if (word === 'hangs up') return undefined
    if (used !== undefined) return { success: false, errorReason: used }
    if (word === 'emptied') emptied.add(nonce)
    if (word === 'refuses' || word === 'emptied')
      return { success: false, errorReason: 'insufficient_funds' }
    settled.set(nonce, paid)
    return word === 'lost' ? undefined : { success: true, transaction: '0x1' }
  }

  function logs([wanted = null, ...asked]: (Hex | null)[]): object[] {
    return [...settled].flatMap(([nonce, { from, to, value }]) => {
      const used = { authorizer: from, nonce: nonce as Hex }
      const moved = encodeAbiParameters([{ type: 'uint256' }], [BigInt(value)])
      const all = [
        {
          topics: encodeEventTopics({ abi, eventName: 'AuthorizationUsed', args: used }),
          data: '0x',
        },
        {
          topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } }),
          data: moved,
        },
      ]
      return all.flatMap((log, logIndex) =>
        log.topics[0] === wanted &&
        asked.every((topic, i) => topic === null || topic === log.topics[i + 1])
          ? [{ ...log, ...place, address: usdc, logIndex: toHex(logIndex) }]
          : [],
      )
    })
  }

  const server = createServer((request, response) => {
    void (async () => {
      let text = ''
      for await (const chunk of request.setEncoding('utf8')) text += chunk
      const body = JSON.parse(text) as Question & { paymentPayload: PaymentPayload }
      const answer =
        request.url === '/node'
          ? [body].flat().map((question: Question) => ({
              jsonrpc: '2.0',
              id: question.id,
              result: resultOf(question),
            }))
          : settles(body.paymentPayload, request.url)
      if (answer === undefined) return response.destroy()
      return response.end(
        JSON.stringify(Array.isArray(answer) && !text.startsWith('[') ? answer[0] : answer),
      )
    })()
  })

  function resultOf({ method, params: [filter] }: Question): unknown {
    if (method === 'eth_getBlockByNumber') return block
    if (method === 'eth_getLogs') return logs((filter as { topics: (Hex | null)[] }).topics)
    throw new Error(`the node is not asked for ${method}`)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    nodeUrl: `${url}/node`,
    settled,
    words,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Question {
  id: number
  method: string
  params: unknown[]
}

const hash = `0x${'1'.repeat(64)}`
const place = {
  blockNumber: '0x0',
  blockHash: hash,
  transactionHash: hash,
  transactionIndex: '0x0',
  removed: false,
}
const block = { number: '0x0', timestamp: '0x1', hash, transactions: [] }
