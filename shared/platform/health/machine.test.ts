import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { healthOf, machineHealth } from './machine.ts'

describe('health of a machine', () => {
  it.each([
    [70, 70, 'healthy'],
    [70.01, 10, 'degraded'],
    [10, 85, 'degraded'],
    [85.01, 10, 'unhealthy'],
    [10, 99, 'unhealthy'],
  ] as const)(
    'health of a machine with %d %% CPU and %d %% memory is %s',
    (cpu, memory, health) => {
      expect(healthOf(cpu, memory)).toBe(health)
    },
  )

  it('never improves as load grows', () => {
    const order = ['healthy', 'degraded', 'unhealthy']
    const percent = fc.double({ min: 0, max: 100, noNaN: true })
    fc.assert(
      fc.property(percent, percent, percent, (cpu, memory, more) => {
        const before = order.indexOf(healthOf(cpu, memory))
        const after = order.indexOf(healthOf(Math.max(cpu, more), memory))
        return after >= before
      }),
    )
  })

  it('is measured', () => {
    const { cpu, memory, uptime } = machineHealth()
    expect(cpu.usage).toBeGreaterThanOrEqual(0)
    expect(cpu.usage).toBeLessThanOrEqual(100)
    expect(memory.used + memory.free).toBe(memory.total)
    expect(uptime).toBeGreaterThan(0)
  })
})
