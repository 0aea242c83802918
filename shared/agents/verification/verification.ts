/** Who stands behind an agent, as it was proven once. */
export interface Verification {
  type: 'eas' | 'coinbase' | 'ens'
  attestationUid: string | null
  /** The wallet that signed, or the attester. */
  verifierAddress: string
  verifiedAt: string
  /** What else the proof says, such as an ENS name. */
  metadata: Record<string, string> | null
}

interface Verified {
  verification?: Verification | undefined
}

/** What both surfaces show of it. */
export function showVerification({ verification }: Verified) {
  return {
    verified: verification !== undefined,
    verificationType: verification?.type ?? null,
    attestationUid: verification?.attestationUid ?? null,
    verifiedAt: verification?.verifiedAt ?? null,
    verifierAddress: verification?.verifierAddress ?? null,
    metadata: verification?.metadata ?? null,
  }
}
