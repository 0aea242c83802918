import type { PlanName } from '#shared/money/plans/plans.ts'

const gigabyte = 1_000_000_000

/**
 * The number of bytes that an agent can send per day (UTC). AWS charges USD 0.09 per gigabyte to the internet
 * (https://aws.amazon.com/ec2/pricing/on-demand/, Data Transfer): at the upper limits an agent costs USD 0.45 to 4.50 a
 * day.
 */
export const sentLimits: Readonly<Record<PlanName, { included: number; most: number }>> = {
  label: { included: gigabyte, most: 5 * gigabyte },
  solo: { included: 2 * gigabyte, most: 10 * gigabyte },
  collective: { included: 5 * gigabyte, most: 25 * gigabyte },
  network: { included: 10 * gigabyte, most: 50 * gigabyte },
}

/** Formats bytes: `1.5 GB`. */
export function inGigabytes(bytes: number): string {
  return `${Math.round((bytes / gigabyte) * 10) / 10} GB`
}
