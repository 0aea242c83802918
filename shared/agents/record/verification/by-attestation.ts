import { type Hex, parseAbi, toHex, zeroAddress } from 'viem'
import { readContract } from '#shared/money/evm/read-contract.ts'
import { attestationsOf, type Chain } from './chain.ts'
import { verificationFailed } from './refusal.ts'

/** The attestation service's record: ethereum-attestation-service/eas-contracts, Common.sol. */
const abi = parseAbi([
  'struct Attestation { bytes32 uid; bytes32 schema; uint64 time; uint64 expirationTime; uint64 revocationTime; bytes32 refUID; address recipient; address attester; bool revocable; bytes data; }',
  'function getAttestation(bytes32 uid) view returns (Attestation)',
])

export interface Attested {
  attester: string
  schema: string
}

/**
 * Reads an attestation about an agent: it exists, is valid now, and contains the agent's id. Anyone can attest
 * anything, so its value depends on the attester, who is stored with it.
 * @param now epoch milliseconds
 * @throws PlatformError 400, 503 if the chain has no attestations or is unreachable
 */
export async function readAttestation(
  chain: Chain,
  uid: Hex,
  agentId: string,
  now = Date.now(),
): Promise<Attested> {
  const found = await readContract(chain.rpc, {
    address: attestationsOf(chain),
    abi,
    functionName: 'getAttestation',
    args: [uid],
  })
  if (found === undefined || found.attester === zeroAddress || found.uid !== uid.toLowerCase())
    throw verificationFailed('the attestation does not exist')
  if (found.revocationTime !== 0n) throw verificationFailed('the attestation was revoked')
  if (found.expirationTime !== 0n && Number(found.expirationTime) * 1000 <= now)
    throw verificationFailed('the attestation has expired')
  if (!found.data.includes(toHex(agentId).slice(2)))
    throw verificationFailed('the attestation does not name this agent')
  return { attester: found.attester, schema: found.schema }
}
