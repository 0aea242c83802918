import { Ago } from './parts.tsx'

interface TaskTimesProps {
  enabled: boolean
  nextRun: string | null
  lastRun: string | null
  lastStatus: string | null
}

/** The next and last run of a task, as the end of a sentence. */
export function TaskTimes({ enabled, nextRun, lastRun, lastStatus }: TaskTimesProps) {
  return (
    <>
      {enabled && nextRun !== null && (
        <>
          , next <Ago at={nextRun} />
        </>
      )}
      {!enabled && ', switched off'}
      {lastRun !== null && (
        <>
          , last <Ago at={lastRun} /> ({lastStatus})
        </>
      )}
    </>
  )
}
