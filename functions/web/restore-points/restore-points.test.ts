import { describe, expect, it } from 'vitest'
import { decode } from '#shared/conversations/restore-points/content.ts'
import { createSnapshot, snapshotLimit } from '#shared/conversations/restore-points/create.ts'
import { objectOf } from '#shared/conversations/restore-points/rows.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { killedAfter } from '#tests/support/conversations/restore-scenes.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'
import { brokerOver } from '#tests/support/tools/broker.ts'

const { world, scenes, ada } = await restoreWorld()

describe('a restore point', () => {
  it('is created, listed newest first, and contains no secret', async () => {
    const id = await scenes.newAgent({ telegramToken: '12345:a-token-of-telegram', mood: 'dry' })
    await brokerOver(world.table).keep(ada.session, id, {
      hosts: ['api.example.com'],
      value: 'a-value-of-the-broker',
    })
    const first = await scenes.snapshot(id, 'Before the launch')
    expect(first).toEqual({
      id: expect.stringMatching(/^snp_[0-9a-z]{26}$/),
      name: 'Before the launch',
      createdAt: expect.any(String),
      bytes: expect.any(Number),
    })
    const second = await scenes.snapshot(id)
    expect(second.name).toBeNull()
    expect(await scenes.points(id)).toEqual([second, first])
    const body = await world.objects.get(objectOf({ agentId: id, id: first.id }))
    expect(body?.length).toBe(first.bytes)
    const content = JSON.stringify(await decode(body as Uint8Array))
    expect(content).toContain('dry')
    expect(content).not.toMatch(/telegram|broker|api\.example|v1\./i)
  })

  it('is created once under an Idempotency-Key', async () => {
    const id = await scenes.newAgent()
    const headers = { 'idempotency-key': `once-${id}` }
    const path = `/api/agents/${id}/snapshots`
    const made = await Promise.all(
      [1, 2].map(async () => {
        const options = { session: ada.session, body: {}, headers }
        const answer = await world.call('POST', path, options)
        return answer.status
      }),
    )
    expect(made.every((status) => status === 201 || status === 409)).toBe(true)
    expect(await scenes.points(id)).toHaveLength(1)
  })

  it('is rejected above the limit', async () => {
    const id = await scenes.newAgent()
    for (let i = 0; i < snapshotLimit; i++) await scenes.snapshot(id)
    const { status, body } = await scenes.call('POST', `/api/agents/${id}/snapshots`, {})
    expect([status, body.code]).toEqual([409, 'SNAPSHOT_LIMIT_REACHED'])
  })

  it('is not visible to other users, and requires a session', async () => {
    const id = await scenes.newAgent()
    const { id: snapshotId } = await scenes.snapshot(id)
    const eve = await world.newUser('eve@b.co')
    const paths = [
      ['POST', `/api/agents/${id}/snapshots`, {}],
      ['GET', `/api/agents/${id}/snapshots`],
      ['POST', `/api/agents/${id}/restore`, { snapshotId }],
    ] as const
    for (const [method, path, body] of paths) {
      expect((await scenes.call(method, path, body, eve.session)).status).toBe(404)
      expect((await scenes.call(method, path, body, `${ada.id}.wrong`)).status).toBe(401)
    }
    const own = await scenes.newAgent()
    expect((await scenes.restore(own, snapshotId)).status).toBe(404)
    expect(world.sent).toEqual([])
  })

  it.each([{ name: '' }, { name: 'x'.repeat(101) }, { name: 7 }])('rejects %j', async (body) => {
    const id = await scenes.newAgent()
    expect((await scenes.call('POST', `/api/agents/${id}/snapshots`, body)).status).toBe(400)
    expect(await scenes.points(id)).toEqual([])
  })

  it('a restore point that a killed process left incomplete is removed, and never listed', async () => {
    const id = await scenes.newAgent()
    const dies = { ...world.objects, put: () => Promise.reject(new Error('killed')) }
    const ctx = { table: world.table, objects: dies, owner: ada.id, seed: newSeed() }
    await expect(createSnapshot(ctx, { agentId: id })).rejects.toThrow('killed')
    expect(await scenes.points(id)).toEqual([])
    await world.tick(Date.now() + 2 * 3_600_000)
    const { items } = await userStore(world.table, ada.id).query({ beginsWith: 'snapshot#' })
    expect(items).toEqual([])
  })
})

describe('a restore', () => {
  it('restores the agent’s state, and saves the state before it', async () => {
    const id = await scenes.full()
    const before = await scenes.stateOf(id)
    const { id: snapshotId } = await scenes.snapshot(id)
    await scenes.spoil(id)
    const spoilt = await scenes.stateOf(id)
    expect(spoilt).not.toEqual(before)
    const { status, body } = await scenes.restore(id, snapshotId)
    expect([status, body]).toEqual([202, { agentId: id, snapshotId, status: 'restoring' }])
    await world.work()
    expect(await scenes.stateOf(id)).toEqual(before)
    const [own] = await scenes.points(id)
    await scenes.restore(id, String(own?.id))
    await world.work()
    expect(await scenes.stateOf(id)).toEqual(spoilt)
  })

  it('is rejected during another, and runs once under repeated requests', async () => {
    const id = await scenes.newAgent()
    const [one, other] = [await scenes.snapshot(id), await scenes.snapshot(id)]
    const requests = await Promise.all([scenes.restore(id, one.id), scenes.restore(id, one.id)])
    expect(requests.map(({ status }) => status)).toEqual([202, 202])
    const { status, body } = await scenes.restore(id, other.id)
    expect([status, body.code]).toEqual([409, 'RESTORE_IN_PROGRESS'])
    await world.work()
    expect(await scenes.points(id)).toHaveLength(3)
    expect((await scenes.restore(id, other.id)).status).toBe(202)
  })

  it('continues after a kill between any two writes, with the same result', async () => {
    const id = await scenes.full()
    const before = await scenes.stateOf(id)
    const { id: snapshotId } = await scenes.snapshot(id)
    await scenes.spoil(id)
    await scenes.restore(id, snapshotId)
    const [message] = world.sent.splice(0)
    let kills = 0
    for (let writes = 0; ; writes++) {
      const { table, wasKilled } = killedAfter(world.table, writes)
      await world.job(message?.body, { table }).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error
      })
      if (!wasKilled()) break
      kills += 1
      // The lease of the killed process has expired.
      await userStore(world.table, ada.id).update(`restore#${id}`, { remove: ['heldUntil'] })
    }
    expect(kills).toBeGreaterThan(8)
    expect(await scenes.stateOf(id)).toEqual(before)
    const { items } = await userStore(world.table, ada.id).query({ beginsWith: 'restore#' })
    expect(items).toEqual([])
  })

  it('a restore of a restore point without content ends, and the point is no longer listed', async () => {
    const id = await scenes.full()
    const before = await scenes.stateOf(id)
    const { id: lost } = await scenes.snapshot(id)
    const { id: other } = await scenes.snapshot(id)
    await world.objects.remove(objectOf({ agentId: id, id: lost }))
    expect((await scenes.restore(id, lost)).status).toBe(202)
    await world.work()
    expect(await scenes.stateOf(id)).toEqual(before)
    expect((await scenes.points(id)).map((one) => one.id)).toEqual([other])
    expect((await scenes.restore(id, lost)).status).toBe(404)
    expect((await scenes.restore(id, other)).status).toBe(202)
  })

  it('a restore whose message was lost is enqueued again by the tick', async () => {
    const id = await scenes.newAgent()
    const { id: snapshotId } = await scenes.snapshot(id)
    await scenes.restore(id, snapshotId)
    world.fleet.forget()
    await world.tick(Date.now() + 120_000)
    expect(world.sent.filter(({ body }) => body.agentId === id)).toHaveLength(1)
    await world.work()
    expect(await scenes.points(id)).toHaveLength(2)
  })
})
