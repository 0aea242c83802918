import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf, newKey } from '#shared/network/signer/keys/curve.ts'
import { envelopeSeals } from '#shared/network/signer/keys/envelope.ts'
import { keySeals, plainSeals } from '#shared/network/signer/keys/seal.ts'
import { kmsDataKeys } from '#shared/platform/data-keys/kms.ts'
import { walletKey } from '#tests/support/chains/signer.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { type Kms, startKms } from '#tests/support/platform/kms.ts'

const keyId = 'arn:aws:kms:eu-west-1:123456789012:key/wallets'

let kms: Kms

beforeAll(async () => {
  useLocalCredentials()
  kms = await startKms(keyId)
})
afterAll(() => kms.close())

const seals = () => envelopeSeals(kmsDataKeys({ keyId, endpoint: kms.endpoint }))

describe('with a KMS key, the key of a wallet', () => {
  it('is sealed under its own data key, bound to this agent and address', async () => {
    const key = newKey()
    const place = { agentId: 'agt_1', address: addressOf(key) }
    const sealed = await seals().seal(key, place)
    expect(sealed).toMatch(/^kms1\.[\w-]+\.[\w-]+$/)
    expect(await seals().seal(key, place)).not.toBe(sealed)
    expect(await seals().open(sealed, place)).toEqual(key)
    const context = { agentId: 'agt_1', address: place.address.toLowerCase() }
    expect(kms.asked).toEqual([
      { action: 'GenerateDataKey', context },
      { action: 'GenerateDataKey', context },
      { action: 'Decrypt', context },
    ])
  })

  it('is unsealed for no other agent or address: KMS itself rejects it', async () => {
    const key = newKey()
    const place = { agentId: 'agt_1', address: addressOf(key) }
    const sealed = await seals().seal(key, place)
    for (const other of [
      { ...place, agentId: 'agt_2' },
      { ...place, address: addressOf(newKey()) },
    ])
      await expect(seals().open(sealed, other)).rejects.toMatchObject({
        name: 'InvalidCiphertextException',
      })
  })

  it('is not unsealed with any part of another wallet’s', async () => {
    const place = { agentId: 'agt_1', address: addressOf(newKey()) }
    const [one, other] = [await seals().seal(newKey(), place), await seals().seal(newKey(), place)]
    const [, blob] = one.split('.')
    const [, , text] = other.split('.')
    await expect(seals().open(`kms1.${blob}.${text}`, place)).rejects.toMatchObject({
      name: 'OperationError',
    })
  })

  it('with a KMS key, the key of a wallet that was sealed under WALLET_ENCRYPTION_KEY, which other functions know, is rejected', async () => {
    const key = newKey()
    const place = { agentId: 'agt_1', address: addressOf(key) }
    const forged = await plainSeals(walletKey).seal(key, place)
    await expect(seals().open(forged, place)).rejects.toThrow('not sealed by the key of KMS')
  })

  it('is sealed with KMS once WALLET_KMS_KEY_ID is set', async () => {
    const place = { agentId: 'agt_1', address: addressOf(newKey()) }
    const settings = { WALLET_ENCRYPTION_KEY: walletKey, WALLET_KMS_KEY_ID: undefined }
    expect(await keySeals(settings).seal(newKey(), place)).toMatch(/^v1\./)
    const set = keySeals({ ...settings, WALLET_KMS_KEY_ID: keyId }, kms.endpoint)
    expect(await set.seal(newKey(), place)).toMatch(/^kms1\./)
  })
})
