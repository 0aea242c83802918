import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Wallet } from 'ethers'
import { serializeErc6492Signature } from 'viem'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newWallet } from '#tests/support/accounts/new-wallet.ts'
import { proof, startWallets, type Wallets } from '#tests/support/accounts/wallets.ts'
import { type Anvil, noAnvil, startAnvil } from '#tests/support/chains/anvil.ts'
import { deployer, walletDeployment } from '#tests/support/chains/contracts.ts'

const owner = newWallet()
const stranger = newWallet()

function signIn(wallets: Wallets, body: unknown) {
  return wallets.call('POST', '/api/wallet-auth', body)
}

describe.skipIf(noAnvil)(
  `over a chain${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let anvil: Anvil
    let counter: Node
    let wallets: Wallets

    beforeAll(async () => {
      anvil = await startAnvil(8453)
      counter = await startNode((request, response) => {
        void forward(anvil.url, request).then((answer) => response.end(answer))
      })
      wallets = await startWallets({ EVM_RPC_URL: counter.url })
    })
    afterAll(async () => {
      await wallets.close()
      await counter.close()
      await anvil.close()
    })

    /** The request of a smart wallet: its own address, with the signature of its key. */
    const proofOf = (address: string, signer: Pick<Wallet, 'address' | 'signMessage'>) =>
      proof(wallets, { address }, signer)

    async function deploy(key: Pick<Wallet, 'address'>) {
      const { address, data } = walletDeployment(key.address as `0x${string}`)
      const [from] = (await anvil.request('eth_accounts')) as unknown as string[]
      await anvil.send({ from, to: deployer, data })
      return address
    }

    it('accepts what a deployed wallet’s contract accepts (ERC-1271), in one request', async () => {
      const wallet = await deploy(owner)
      counter.asked.length = 0
      const { status, body } = await signIn(wallets, await proofOf(wallet, owner))
      expect([status, body.ok]).toEqual([200, true])
      expect(counter.asked).toEqual(['eth_call'])
      const again = await signIn(wallets, await proofOf(wallet, owner))
      expect(again.body.user).toEqual(body.user)
    })

    it('rejects what the contract rejects', async () => {
      const wallet = await deploy(owner)
      const input = await proofOf(wallet, owner)
      for (const signature of [
        (await proofOf(wallet, stranger)).signature,
        `0x${'11'.repeat(65)}`,
        '0x1234',
        `0x${'22'.repeat(2_000)}`,
      ]) {
        const fresh = await proofOf(wallet, owner)
        expect((await signIn(wallets, { ...fresh, signature })).status).toBe(401)
      }
      expect((await signIn(wallets, input)).status).toBe(200)
    })

    it('does not accept the key of one wallet for another', async () => {
      const others = await deploy(stranger)
      expect((await signIn(wallets, await proofOf(others, owner))).status).toBe(401)
    })

    it('accepts a wallet that is not deployed yet (ERC-6492), without deploying it', async () => {
      const key = newWallet()
      const { address, data } = walletDeployment(key.address as `0x${string}`)
      const input = await proofOf(address, key)
      const signature = wrap(input.signature, data)
      counter.asked.length = 0
      const { status, body } = await signIn(wallets, { ...input, signature })
      expect([status, body.ok]).toEqual([200, true])
      expect(counter.asked).toEqual(['eth_call'])
      expect(await anvil.request('eth_getCode', address, 'latest')).toBe('0x')
    })

    it('rejects such a wallet whose deployment creates another address, or no contract', async () => {
      const key = newWallet()
      const { address, data } = walletDeployment(key.address as `0x${string}`)
      const mine = walletDeployment(stranger.address as `0x${string}`).data
      const cases = [
        [stranger, mine],
        [stranger, data],
        [key, '0x'],
      ] as const
      for (const [signer, deployment] of cases) {
        const input = await proofOf(address, signer)
        const signature = wrap(input.signature, deployment)
        expect((await signIn(wallets, { ...input, signature })).status).toBe(401)
      }
    })

    it('rejects an invalid wrapping', async () => {
      const input = await proofOf(stranger.address, owner)
      for (const inner of ['', '00'.repeat(32), 'ff'.repeat(96), input.signature.slice(2)])
        expect(
          (
            await signIn(wallets, {
              ...(await proofOf(stranger.address, owner)),
              signature: `0x${inner}${'6492'.repeat(16)}`,
            })
          ).status,
        ).toBe(401)
    })

    it('sends no request to the chain for an account that is a key', async () => {
      counter.asked.length = 0
      expect((await signIn(wallets, await proof(wallets))).status).toBe(200)
      expect(counter.asked).toEqual([])
    })

    it('sends no request to the chain before the nonce is checked', async () => {
      const input = await proofOf(stranger.address, owner)
      expect((await signIn(wallets, input)).status).toBe(401)
      counter.asked.length = 0
      expect((await signIn(wallets, input)).status).toBe(401)
      expect(counter.asked).toEqual([])
    })
  },
)

function wrap(signature: string, data: string): string {
  return serializeErc6492Signature({
    address: deployer,
    data: data as `0x${string}`,
    signature: signature as `0x${string}`,
  })
}

/** A validator's success response, with `before` in front. */
function yes(before: string): string {
  return `{"jsonrpc":"2.0","id":1,"result":"0x${before}1"}`
}

describe('a chain that', () => {
  it.each<[string, RequestListener]>([
    ['is silent', () => {}],
    ['disconnects', (request) => request.socket.destroy()],
    ['returns invalid JSON', (_, response) => response.writeHead(502).end('<html>')],
    ['returns another format', (_, response) => response.end('{"result":true}')],
    [
      'is overloaded',
      (request, response) =>
        response.end(
          `{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded: ${request.url}"}}`,
        ),
    ],
    [
      'dawdles',
      (_, response) => {
        const timer = setInterval(() => response.write(' '), 20)
        response.once('close', () => clearInterval(timer))
      },
    ],
    [
      'sends an oversized positive response',
      (_, response) => response.end(yes('0'.repeat(1_000_000))),
    ],
    [
      'redirects to a positive response',
      (request, response) => {
        if (request.url === '/elsewhere') response.end(yes(''))
        else response.writeHead(307, { location: '/elsewhere' }).end()
      },
    ],
  ])('a chain that %s leads to 503 within seconds, not to a rejection', async (_, listener) => {
    const node = await startNode(listener)
    const wallets = await startWallets({ EVM_RPC_URL: `${node.url}/v2/secret-key` })
    const input = await proof(wallets, { address: stranger.address }, owner)
    const waits = vi.spyOn(globalThis, 'setTimeout')
    const write = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { status, body } = await signIn(wallets, input)
    const lines = write.mock.calls.join('\n')
    write.mockRestore()
    expect([status, body]).toEqual([503, { error: 'The chain cannot be reached' }])
    expect(lines).toContain('"status":503')
    expect(lines).not.toContain('secret-key')
    // The only wait is for one request, limited to this time. Shorter waits belong to the database client.
    expect(waits.mock.calls.map(([, ms = 0]) => ms).filter((ms) => ms > 3_000)).toEqual([5_000])
    expect(node.asked).toEqual(['eth_call'])
    waits.mockRestore()
    expect((await signIn(wallets, await proof(wallets))).status).toBe(200)
    await node.close()
    await wallets.close()
  })

  it('a chain that is unavailable is logged without its address', async () => {
    const write = vi.spyOn(console, 'log').mockImplementation(() => {})
    const wallets = await startWallets({ EVM_RPC_URL: 'http://user:secret@127.0.0.1:1/secret' })
    const input = await proof(wallets, { address: stranger.address }, owner)
    const { status } = await signIn(wallets, input)
    const lines = write.mock.calls.join('\n')
    write.mockRestore()
    await wallets.close()
    expect(status).toBe(503)
    expect(lines).toContain('the node was not reached')
    expect(lines).not.toContain('secret')
  })
})

interface Node {
  url: string
  /** The called methods. */
  asked: string[]
  close(): Promise<void>
}

async function startNode(listener: RequestListener): Promise<Node> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    request.once('data', (data) => requests.push(JSON.parse(String(data)).method))
    listener(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: requests,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function forward(url: string, request: IncomingMessage): Promise<string> {
  const body = await text(request)
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body })).text()
}
