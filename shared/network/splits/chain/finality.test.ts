import { expect, it } from 'vitest'
import { finalityOf } from './finality.ts'

it.each([
  [false, 31_337, 'http://127.0.0.1:8545', 'settled'],
  [false, 1337, 'http://localhost:8545/key', 'settled'],
  [false, 31_337, 'http://[::1]:8545', 'settled'],
  // A Base node on the same machine.
  [false, 8453, 'http://127.0.0.1:8545', 'finalized'],
  [false, 31_337, 'https://mainnet.base.org', 'finalized'],
  [false, 31_337, 'https://127.0.0.1.example.com', 'finalized'],
  [false, 31_337, 'https://localhost.example.com', 'finalized'],
  [true, 31_337, 'http://127.0.0.1:8545', 'finalized'],
])(
  'deployed %j, chain %i over %s: a payment is final at %s',
  (deployed, chainId, url, expected) => {
    const settings = { deployed, EVM_CHAIN_ID: chainId, EVM_RPC_URL: url }
    expect(finalityOf(settings)).toBe(expected)
  },
)
