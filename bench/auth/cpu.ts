import { median } from '../budgets/measure.ts'

export interface Subject {
  name: string
  run(): Promise<void>
}

export interface Measured {
  name: string
  /** The median of the CPU time per call, in microseconds, over all threads. */
  micros: number
}

/** Runs the subjects in turn, so that a slow moment of the machine affects all of them. */
export async function measureCpu(
  subjects: readonly Subject[],
  { rounds = 15, calls = 2000 } = {},
): Promise<Measured[]> {
  const samples = subjects.map((subject) => ({ ...subject, micros: [] as number[] }))
  for (let round = 0; round <= rounds; round++)
    for (const sample of samples) {
      const before = process.cpuUsage()
      for (let i = 0; i < calls; i++) await sample.run()
      const { user, system } = process.cpuUsage(before)
      // The first round warms up the compiler.
      if (round > 0) sample.micros.push((user + system) / calls)
    }
  return samples.map(({ name, micros }) => ({ name, micros: median(micros) }))
}
