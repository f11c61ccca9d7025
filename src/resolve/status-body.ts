/** The Status by which an API server says why there is no object. What it says is read, and never repeated as it is. */

export interface StatusBody {
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly name?: unknown } | null;
}

/** @param body of an answer, as text; what is no JSON object says nothing */
export function statusBody(body: unknown): StatusBody {
  try {
    const status: unknown = JSON.parse(String(body));
    return typeof status === 'object' && status !== null ? status : {};
  } catch {
    return {};
  }
}
