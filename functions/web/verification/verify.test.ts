import { Wallet } from 'ethers'
import { encodeAbiParameters, type Hex, namehash, pad, parseAbiParameters, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type Anvil, noAnvil, startAnvil } from '#tests/support/chains/anvil.ts'
import {
  answerCode,
  deployer,
  lookupCode,
  place,
  store,
  walletDeployment,
} from '#tests/support/chains/contracts.ts'
import { verificationCaller } from '#tests/support/network/verification.ts'

let accounts: Accounts
let ada: { id: string; session: string }
let eve: { id: string; session: string }
let agent: Agent
let offline: ReturnType<typeof verificationCaller>
const wallet = Wallet.createRandom()
const stranger = Wallet.createRandom()

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  eve = await accounts.signUp('eve@b.co')
  offline = verificationCaller(accounts.table)
})
afterAll(() => accounts.close())
beforeEach(async () => {
  agent = await putAgent(accounts.table, ada.id)
})

const path = () => `/api/agents/${agent.id}/verify`

type Caller = ReturnType<typeof verificationCaller>

const verify = (body: object, by: Caller = offline, session = ada.session) =>
  by.call('POST', path(), { body, session })

const shown = async () => (await offline.call('GET', path(), { session: ada.session })).body

const unverified = {
  verified: false,
  verificationType: null,
  attestationUid: null,
  verifiedAt: null,
  verifierAddress: null,
  metadata: null,
}

async function signed(signer: Pick<Wallet, 'address' | 'signMessage'> = wallet, id = agent.id) {
  return {
    verificationType: 'coinbase',
    walletAddress: signer.address,
    signature: await signer.signMessage(`Verify agent ${id}`),
  }
}

describe('a wallet', () => {
  it('a wallet that has signed for the agent verifies it, without a chain', async () => {
    const { status, body } = await verify(await signed())
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      verified: true,
      verificationType: 'coinbase',
      attestationUid: null,
      verifiedAt: expect.any(String),
    })
    expect(await shown()).toEqual({
      ...unverified,
      verified: true,
      verificationType: 'coinbase',
      verifiedAt: body.verifiedAt,
      verifierAddress: wallet.address,
    })
  })

  it.each([
    [
      'of another wallet',
      async () => ({ ...(await signed(stranger)), walletAddress: wallet.address }),
    ],
    ['for another agent', () => signed(wallet, 'agt_00000000000000000000000000')],
    ['that is invalid', async () => ({ ...(await signed()), signature: '0x1234' })],
  ])('is rejected with a signature %s', async (_, body) => {
    const answer = await verify(await body())
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'VERIFICATION_FAILED' })
    expect(await shown()).toEqual(unverified)
  })

  it.each([
    ['verificationType', { verificationType: 'word of honour' }],
    ['walletAddress', { walletAddress: '0x12' }],
    ['walletAddress', { walletAddress: undefined }],
    ['signature', { signature: undefined }],
    ['attestationUid', { attestationUid: '0x12' }],
  ])('is rejected if %s is wrong', async (field, change) => {
    const { status, body } = await verify({ ...(await signed()), ...change })
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.stringContaining(field) })
    expect(await shown()).toEqual(unverified)
  })
})

describe('an unsupported proof', () => {
  it('is reported: webauthn is not built, names and attestations require a chain', async () => {
    expect((await verify({ verificationType: 'webauthn' })).status).toBe(501)
    const ens = { ...(await signed()), verificationType: 'ens' }
    const eas = { verificationType: 'eas', attestationUid: `0x${'1'.repeat(64)}` }
    for (const body of [ens, eas]) {
      const answer = await verify(body)
      expect([answer.status, answer.body.missing]).toEqual([503, ['EVM_RPC_URL']])
    }
    expect(await shown()).toEqual(unverified)
  })
})

describe('a verification', () => {
  it('is deleted, and a repeat succeeds', async () => {
    await verify(await signed())
    for (let i = 0; i < 2; i++) {
      const { body } = await offline.call('DELETE', path(), { session: ada.session })
      expect(body).toEqual({ success: true })
    }
    expect(await shown()).toEqual(unverified)
  })

  it.each(['GET', 'POST', 'DELETE'])(
    'a verification of another user’s agent is treated as missing: %s',
    async (method) => {
      const body = method === 'POST' ? { body: await signed() } : {}
      const { status } = await offline.call(method, path(), { session: eve.session, ...body })
      expect(status).toBe(404)
      expect(await shown()).toEqual(unverified)
    },
  )

  it('requires a session', async () => {
    expect((await offline.call('POST', path(), { body: await signed() })).status).toBe(401)
  })
})

describe.skipIf(noAnvil)(
  `over a chain${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let anvil: Anvil
    let online: Caller

    beforeAll(async () => {
      anvil = await startAnvil(8453)
      online = verificationCaller(accounts.table, { evm: { url: anvil.url, id: 8453 } })
    })
    afterAll(() => anvil.close())

    it('a smart wallet verifies by its contract’s own check', async () => {
      const { address, data } = walletDeployment(wallet.address as Hex)
      const [from] = (await anvil.request('eth_accounts')) as unknown as string[]
      await anvil.send({ from, to: deployer, data })
      const body = { ...(await signed()), walletAddress: address }
      expect((await verify(body, online)).status).toBe(200)
      const theirs = { ...(await signed(stranger)), walletAddress: address }
      expect((await verify(theirs, online)).status).toBe(400)
    })

    describe('a name', () => {
      const registry = '0xb94704422c2a1e396835a571837aa5ae53285a95'
      const [reverse, forward]: [Hex, Hex] = [pad('0xa1', { size: 20 }), pad('0xa2', { size: 20 })]
      const name = 'ada.base.eth'
      const reverseNode = namehash(`${wallet.address.slice(2).toLowerCase()}.80002105.reverse`)
      const body = async () => ({ ...(await signed()), verificationType: 'ens' })

      beforeEach(async () => {
        await place(anvil, registry, lookupCode)
        await place(anvil, reverse, answerCode(encodeAbiParameters([{ type: 'string' }], [name])))
        await place(anvil, forward, lookupCode)
        await store(anvil, registry, reverseNode, BigInt(reverse))
        await store(anvil, registry, namehash(name), BigInt(forward))
        await store(anvil, forward, namehash(name), BigInt(wallet.address))
      })

      it('a name that resolves to the claiming wallet verifies', async () => {
        expect((await verify(await body(), online)).body).toMatchObject({ verificationType: 'ens' })
        expect(await shown()).toMatchObject({ verifierAddress: wallet.address, metadata: { name } })
      })

      it('a name that resolves to another wallet is rejected', async () => {
        await store(anvil, forward, namehash(name), BigInt(stranger.address))
        const { status, body: answer } = await verify(await body(), online)
        expect([status, answer.error]).toEqual([400, expect.stringContaining('not resolve to')])
      })

      it.each([
        ['invalid text', '0x1234' as Hex],
        ['an endless text', `0x${'ff'.repeat(64)}` as Hex],
      ])('a name whose resolver returns %s is rejected', async (_, answer) => {
        await place(anvil, reverse, answerCode(answer))
        const { status, body: refusal } = await verify(await body(), online)
        expect([status, refusal.error]).toEqual([400, expect.stringContaining('has no name')])
      })

      it.each([
        'ADA.base.eth',
        'ad\u200ba.base.eth',
        'a\u0501a.base.eth',
        'ada\n.base.eth',
        '[x].eth',
      ])('a name that resembles another is rejected: %j', async (lookalike) => {
        const text = encodeAbiParameters([{ type: 'string' }], [lookalike])
        await place(anvil, reverse, answerCode(text))
        await store(anvil, registry, namehash(lookalike), BigInt(forward))
        await store(anvil, forward, namehash(lookalike), BigInt(wallet.address))
        const { status, body: refusal } = await verify(await body(), online)
        expect([status, refusal.code]).toEqual([400, 'VERIFICATION_FAILED'])
        expect(await shown()).toEqual(unverified)
      })

      it('a name that is missing is rejected', async () => {
        await store(anvil, registry, reverseNode, 0n)
        const { status, body: answer } = await verify(await body(), online)
        expect([status, answer.error]).toEqual([400, expect.stringContaining('has no name')])
      })

      it('requires a chain with names', async () => {
        const elsewhere = verificationCaller(accounts.table, { evm: { url: anvil.url, id: 137 } })
        const { status, body: answer } = await verify(await body(), elsewhere)
        expect([status, answer.missing]).toEqual([503, ['EVM_CHAIN_ID']])
      })
    })

    describe('an attestation', () => {
      const eas = '0x4200000000000000000000000000000000000021'
      const uid: Hex = `0x${'ab'.repeat(32)}`
      const attester = stranger.address as Hex
      const form = parseAbiParameters([
        'Attestation a',
        'struct Attestation { bytes32 uid; bytes32 schema; uint64 time; uint64 expirationTime; uint64 revocationTime; bytes32 refUID; address recipient; address attester; bool revocable; bytes data; }',
      ])

      const attested = (change: object = {}) =>
        place(
          anvil,
          eas,
          answerCode(
            encodeAbiParameters(form, [
              {
                uid,
                schema: pad('0x07'),
                time: 1n,
                expirationTime: 0n,
                revocationTime: 0n,
                refUID: pad('0x'),
                recipient: wallet.address as Hex,
                attester,
                revocable: true,
                data: encodeAbiParameters([{ type: 'string' }], [agent.id]),
                ...change,
              },
            ]),
          ),
        )
      const ask = () => verify({ verificationType: 'eas', attestationUid: uid }, online)

      it('an attestation that names the agent verifies, and its attester is stored', async () => {
        await attested()
        expect((await ask()).body).toMatchObject({ verified: true, attestationUid: uid })
        expect(await shown()).toMatchObject({
          verifierAddress: attester,
          metadata: { schema: pad('0x07') },
        })
      })

      it.each([
        ['was revoked', () => ({ revocationTime: 5n })],
        ['has expired', () => ({ expirationTime: 5n })],
        ['does not name this agent', () => ({ data: toHex('agt_somebody_elses') })],
        ['does not exist', () => ({ uid: pad('0x') })],
        ['does not exist', () => ({ attester: pad('0x', { size: 20 }) })],
      ])('an attestation that %s is rejected', async (reason, change) => {
        await attested(change())
        const { status, body } = await ask()
        expect([status, body.error]).toEqual([400, expect.stringContaining(reason)])
        expect(await shown()).toEqual(unverified)
      })

      it('an attestation of an unavailable chain is neither rejected nor accepted', async () => {
        const gone = verificationCaller(accounts.table, {
          evm: { url: 'http://127.0.0.1:9', id: 8453 },
        })
        const { status } = await verify({ verificationType: 'eas', attestationUid: uid }, gone)
        expect(status).toBe(503)
      })
    })
  },
)
