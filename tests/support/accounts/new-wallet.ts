import { randomBytes } from 'node:crypto'
import { Wallet } from 'ethers'

/** Returns a wallet with a random key. `Wallet.createRandom` also derives it from a phrase: 10 ms of CPU time. */
export function newWallet(): Wallet {
  return new Wallet(`0x${randomBytes(32).toString('hex')}`)
}
