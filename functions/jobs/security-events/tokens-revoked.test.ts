import { describe, expect, it } from 'vitest'
import { message, startKnownProvider, useIdpEvents } from '#tests/support/accounts/idp-events.ts'
import { startSecurityEvents } from '#tests/support/accounts/security-events.ts'

const on = useIdpEvents()

describe('tokens-revoked', () => {
  const tokenOf = async (userId: string, subject: string) =>
    (await on.signIn.rowsOf(userId)).get(`provider#idp#${subject}`)?.refreshTokenSealed

  it('deletes the refresh token and revokes it at the provider', async () => {
    const user = await on.arrive()
    expect(await tokenOf(user.id, user.subject)).toMatch(/^v1\./)
    const before = on.idp.revoked.length
    await on.events.handle([message('tokens-revoked', { sub: user.subject })])
    expect(await tokenOf(user.id, user.subject)).toBeUndefined()
    expect(on.idp.revoked.length).toBe(before + 1)
    expect((await on.arrive(user.subject)).id).toBe(user.id)
    expect(await tokenOf(user.id, user.subject)).toMatch(/^v1\./)
  })

  it('rejects a token that is stored in another user’s row', async () => {
    const [owner, thief] = [await on.arrive(), await on.arrive()]
    const row = { pk: `user#${thief.id}`, sk: `provider#idp#${thief.subject}` }
    const stolen = await tokenOf(owner.id, owner.subject)
    await on.signIn.accounts.table.update(row, { set: { refreshTokenSealed: stolen } })
    const before = on.idp.revoked.length
    await on.events.handle([message('tokens-revoked', { sub: thief.subject })])
    expect(on.idp.revoked.length).toBe(before)
    expect(await tokenOf(thief.id, thief.subject)).toBeUndefined()
  })

  it('deletes it even if the provider is unavailable', async () => {
    const user = await on.arrive()
    const { idp: gone, settings } = await startKnownProvider()
    gone.down = true
    const alone = await startSecurityEvents(settings, on.signIn.accounts)
    await alone.handle([message('tokens-revoked', { sub: user.subject })])
    expect(await tokenOf(user.id, user.subject)).toBeUndefined()
    expect(await on.holds(user.session)).toBe(false)
    await alone.close()
    await gone.close()
  })
})
