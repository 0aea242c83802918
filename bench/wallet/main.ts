/**
 * Measures the CPU time of a wallet sign-in relative to viem's verifyMessage, which only checks the signature:
 * `node bench/wallet/main.ts`. The table responds immediately, so that only our own code counts: parsing and checking
 * the message, the signature, the session. Rounds alternate; fails above 1.2.
 */
import { verifyMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { newUser } from '#shared/accounts/users/user.ts'
import { signInWithWallet } from '#shared/accounts/wallet-sign-in/sign-in.ts'
import { randomHex } from '#shared/platform/crypto.ts'
import type { Table } from '#shared/platform/table/port.ts'

const rounds = 15
const perRound = 100
const allowed = 1.2
const webUrl = 'https://app.example.com'

const known = newUser({ id: 'usr_1', email: 'a@b.co', name: 'a', referralCode: 'A' })
const unused = () => Promise.reject(new Error('not used to sign in a known wallet'))
const table: Table = {
  get: ({ pk, sk }) =>
    Promise.resolve({
      pk,
      sk,
      ...(sk === 'wallet' ? { userId: known.id, linkedAt: known.createdAt } : known),
    }),
  put: () => Promise.resolve(),
  delete: () => Promise.resolve(undefined),
  getMany: unused,
  update: unused,
  query: unused,
  transact: unused,
}

/** Every proof has its own wallet, as in production, because viem caches by address. */
async function newProof() {
  const account = privateKeyToAccount(generatePrivateKey())
  const message = createSiweMessage({
    address: account.address,
    chainId: 8453,
    domain: 'app.example.com',
    nonce: randomHex(16),
    statement: 'Sign in to the platform.',
    uri: `${webUrl}/login`,
    version: '1',
  })
  return { address: account.address, message, signature: await account.signMessage({ message }) }
}

type Proof = Awaited<ReturnType<typeof newProof>>

const candidates: Record<string, (proof: Proof) => Promise<unknown>> = {
  'viem verifyMessage': (proof) => verifyMessage(proof),
  'wallet sign-in': (proof) =>
    signInWithWallet(
      {
        table,
        actor: { type: 'public' },
        requestId: 'req_bench',
        webUrl,
        chainId: 8453,
        evm: { url: undefined, setting: 'EVM_RPC_URL' },
        seed: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
        count: async () => {},
        refuseBots: async () => {},
      },
      proof,
    ),
}

/** Returns the CPU time of each run in microseconds. */
async function measure(run: (proof: Proof) => Promise<unknown>): Promise<number> {
  const proofs = await Promise.all(Array.from({ length: perRound }, newProof))
  const began = process.cpuUsage()
  for (const proof of proofs) await run(proof)
  const { user, system } = process.cpuUsage(began)
  return (user + system) / perRound
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const samples: Record<string, number[]> = {}
for (let round = 0; round <= rounds; round++)
  for (const [name, run] of Object.entries(candidates)) {
    const time = await measure(run)
    // The first round warms up.
    if (round > 0) (samples[name] ??= []).push(time)
  }

const [base = [], own = []] = Object.values(samples)
const ratio = median(own.map((time, i) => time / (base[i] ?? Number.NaN)))
for (const [name, times] of Object.entries(samples))
  process.stdout.write(`${name.padEnd(20)} ${median(times).toFixed(0)} µs\n`)
process.stdout.write(`ratio ${ratio.toFixed(2)}, allowed ${allowed}\n`)
process.exitCode = ratio > allowed ? 1 : 0
