/** Holds the lock of a directory until it is killed. */
import { acquireLock } from '../lock/lock.ts'

await acquireLock(process.argv[2] ?? '')
process.send?.('held')
// The listener keeps the process alive.
process.on('message', () => {})
