import type { Agent } from '../record.ts'

/** Returns the verification in the format of both surfaces. */
export function showVerification({ verification }: Pick<Agent, 'verification'>) {
  return {
    verified: verification !== undefined,
    verificationType: verification?.type ?? null,
    attestationUid: verification?.attestationUid ?? null,
    verifiedAt: verification?.verifiedAt ?? null,
    verifierAddress: verification?.verifierAddress ?? null,
    metadata: verification?.metadata ?? null,
  }
}
