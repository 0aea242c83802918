import { storageUpgrade } from '#shared/billing/payments/catalogue.ts'
import { type Plan, planNames, plans } from '#shared/money/plans/plans.ts'
import { assumed } from './assumed.ts'
import { hoursAMonth, lambdaMillion, price, tableMillion } from './prices.ts'
import { money, rows } from './text.ts'

const minutesAMonth = hoursAMonth * 60
const daysAMonth = hoursAMonth / 24

/** Returns the US dollars per month to store a number of GB, and a week's restore points. All files are rewritten daily. */
function storing(gb: number): { files: number; restorePoints: number } {
  const files = gb * price('objectGbMonth')
  return { files, restorePoints: files * assumed.restorePoints }
}

/** Returns the US dollars per month of an awake agent that changes a file every minute. */
export function committing(): number {
  const { puts, requests, seconds, memoryMb, ...units } = assumed.fileCommit
  const one = tableMillion(units) + puts * price('objectPutMillion')
  const calls = requests * (lambdaMillion(memoryMb, seconds) + price('httpApiMillion'))
  return (minutesAMonth * (one + calls)) / 1e6
}

/** Returns the US dollars for reading a number of GB at starts. Transfers within the region are free. */
function restoring(gb: number): number {
  return (((gb * 1024) / assumed.filePartMb) * price('objectGetMillion')) / 1e6
}

/** Returns the US dollars per month of the larger disks of awake agents with that many GB: shared/agents/files/disk.ts. */
function largerDisks(gb: number): number {
  const more = gb * 3 > 20 ? gb * 1.5 : 0
  return more * hoursAMonth * price('fargateDiskGbHour')
}

/** Returns the US dollars per month of a plan whose storage is full, with its maximum of agents awake all month. */
export function filesOf(plan: Plan): number {
  const { files, restorePoints } = storing(plan.storageGb)
  return files + restorePoints + largerDisks(plan.storageGb) + plan.awake * committing()
}

/** Returns the section of the document about files. */
export function filesSection(): string {
  const body = planNames.map((name) => {
    const plan = plans[name]
    const { files, restorePoints } = storing(plan.storageGb)
    const wakes = assumed.sittingsADay * daysAMonth * restoring(plan.storageGb)
    return [
      `${name} ${plan.storageGb} GB`,
      money(files),
      money(restorePoints),
      money(wakes),
      money(largerDisks(plan.storageGb)),
      money(plan.awake * committing()),
      money(filesOf(plan)),
    ]
  })
  const upgrade = storing(storageUpgrade.gb)
  return `## Files

The monthly cost of a plan's storage if it is full: the files; restore points of ${assumed.restorePoints} days, if all files are rewritten
every day; ${assumed.sittingsADay} starts a day that read all files; larger disks, if awake agents hold all files; and a change of a file in every minute by the maximum of agents that may be awake.
The storage upgrade of ${storageUpgrade.gb} GB costs at most ${money(upgrade.files + upgrade.restorePoints)}. Manual restore points and downloads to the internet (${money(price('egressGb'))} a GB) are not included.

${rows(['plan', 'files', 'restore points', 'starts', 'larger disks', 'a change every minute', '**sum without starts**'], body)}`
}
