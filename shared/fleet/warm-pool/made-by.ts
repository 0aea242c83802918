import { familyOf, planSizes } from '../../manifest/containers.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { sha256Hex } from '../../platform/crypto.ts'

/** What a plan's own tasks are made by, besides their image. */
export type Making = Pick<
  Settings,
  'BACKEND_URL' | 'PUBLIC_ADDRESS' | 'SECURITY_GROUP' | 'SUBNETS' | 'TASK_FAMILY_PREFIX'
>

/** By which a container that waits is told from one that would be made now: SHA-256. */
export async function madeBy(making: Making, plan: string): Promise<string> {
  const size = planSizes.find((one) => one.plan === plan)
  if (size === undefined) throw new Error(`no plan is called ${plan}`)
  const { BACKEND_URL, PUBLIC_ADDRESS, SECURITY_GROUP, SUBNETS, TASK_FAMILY_PREFIX } = making
  return sha256Hex(
    JSON.stringify([
      BACKEND_URL,
      PUBLIC_ADDRESS,
      SECURITY_GROUP.toSorted(),
      SUBNETS.toSorted(),
      `${TASK_FAMILY_PREFIX}${familyOf(size.plan)}`,
      size.cpu,
      size.memoryMb,
    ]),
  )
}
