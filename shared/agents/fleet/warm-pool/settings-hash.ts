import { familyOf, planSizes } from '#shared/manifest/containers.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'

/** The settings of a plan's task, besides its image. */
export type HashedSettings = Pick<
  Settings,
  'BACKEND_URL' | 'PUBLIC_ADDRESS' | 'SECURITY_GROUP' | 'SUBNETS' | 'TASK_FAMILY_PREFIX'
>

/** Returns the SHA-256 of these settings, which shows whether a waiting container is still current. */
export async function settingsHash(making: HashedSettings, plan: string): Promise<string> {
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
