import type { OutputBudget } from './budget.ts'
import { LimitedLines } from './lines.ts'

/**
 * Prints lines of this process within the container's budget.
 * @returns a function that takes one line without its line break
 */
export function printTo(stream: NodeJS.WriteStream, budget: OutputBudget): (line: string) => void {
  const lines = new LimitedLines(budget)
  process.once('exit', () => stream.write(lines.end()))
  return (line) => void stream.write(lines.write(Buffer.from(`${line}\n`)))
}
