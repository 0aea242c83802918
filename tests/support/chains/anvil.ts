import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hex } from 'viem'
import { untilFound } from '../clock/eventually.ts'

const arch = process.arch === 'x64' ? 'amd64' : process.arch
const wrapper = dirname(fileURLToPath(import.meta.resolve('@foundry-rs/anvil/package.json')))
const binary = join(wrapper, `../anvil-${process.platform}-${arch}/bin/anvil`)

/** The reason to skip tests that need a chain; undefined if they can run. */
export const noAnvil = existsSync(binary)
  ? undefined
  : `anvil has no binary for ${process.platform} ${process.arch} here`

/** An Ethereum chain for one test. Each transaction makes a new block. */
export interface Anvil {
  url: string
  request(method: string, ...params: unknown[]): Promise<Hex>
  /** Sends a transaction and waits until a block contains it. The node returns the hash earlier. */
  send(transaction: object): Promise<Hex>
  close(): Promise<void>
}

/** Starts anvil on a free port. The binary is started directly: its npm wrapper would be a process in between. */
export async function startAnvil(chainId: number, ...more: string[]): Promise<Anvil> {
  // Anvil writes the state of each block to disk. Its default folder, in the user's home, stays after SIGKILL.
  const states = await mkdtemp(join(tmpdir(), 'anvil-'))
  const listen = ['--host', '127.0.0.1', '--port', '0']
  const args = [...listen, '--chain-id', String(chainId), '--cache-path', states, ...more]
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const address = /Listening on (\S+)/.exec(output)?.[1]
      if (address !== undefined) resolve(`http://${address}`)
    })
    child.once('exit', () => reject(new Error(`anvil ended:\n${output}`)))
  })
  const anvil: Anvil = {
    url,
    async request(method, ...params) {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      const { result, error } = (await answer.json()) as { result: Hex; error?: object }
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
      return result
    },
    async send(transaction) {
      const hash = await anvil.request('eth_sendTransaction', transaction)
      await untilFound(() => anvil.request('eth_getTransactionReceipt', hash))
      return hash
    },
    async close() {
      // Ctrl-C in a terminal ends it too.
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit')
        child.kill('SIGKILL')
        await exit
      }
      await rm(states, { recursive: true, force: true })
    },
  }
  return anvil
}
