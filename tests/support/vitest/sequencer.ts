import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Test files that mostly wait for a clock: for a timeout, a message's redelivery, or the next minute. */
const waiting =
  /(openclaw\/front\/main|hung-agent|troubled-host|liveness|stopped-by-operator|scheduled-tasks|leaving|gateway\/faults|agent-killed|poison|faults\/(?:videos|splits)|replaced)\.test\.ts$/

/** Spreads these files over the run, so that other files can use the processor while they wait. */
export class SpreadWaiting extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const ranked = [true, false].flatMap((waits) =>
      sorted
        .filter(({ moduleId }) => waiting.test(moduleId) === waits)
        .map((file, i, { length }) => ({ file, place: i / length })),
    )
    return ranked.sort((a, b) => a.place - b.place).map(({ file }) => file)
  }
}
