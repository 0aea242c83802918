import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Most of their time these wait for a clock: for a hang to be believed, a message to come again, a minute to turn. */
const waiting =
  /(openclaw\/front\/main|hung-agent|troubled-host|liveness|stopped-by-operator|scheduled-tasks|leaving|gateway\/faults|agent-killed|poison|faults\/videos|replaced)\.test\.ts$/

/** Spreads the files that wait over the run, so that each leaves its processor to the files beside it. */
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
