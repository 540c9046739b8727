import * as THREE from 'three';
import { boxOf, emptyBox, grown, rotate, cornersOf } from '../core/math';
import type { Box, Quat, V3 } from '../core/math';
import { meetSurface, meetsBall, nearSegment } from '../core/picking';
import type { Hit, Ray } from '../core/picking';
import type { BodyMeta } from '../core/protocol';
import { makeLook } from './materials';
import type { Look } from './materials';
import { Instances, ballGeometry, rodGeometry } from './rods';
import { PointSurface, SharedMesh, SkinSurface } from './surface';
import type { MovingSurface } from './surface';

// One body in the scene, of whatever kind: what frames say of it, and what is drawn.

export class BodyView {
  readonly group = new THREE.Group();
  readonly look: Look;
  position: V3 = [0, 0, 0];
  quaternion: Quat = [0, 0, 0, 1];
  points: Float32Array | undefined;
  /** What the layers `velocity`, `strain` and `tets` have told last. */
  speeds: Float32Array | undefined;
  strain: Float32Array | undefined;
  tets: Uint32Array | undefined;
  velocity: V3 = [0, 0, 0];
  angular: V3 = [0, 0, 0];
  asleep = false;
  private surface: MovingSurface | undefined;
  private tubes: Instances | undefined;
  private balls: Instances | undefined;
  private changed = true;
  private readonly colourOf: THREE.Color;

  constructor(
    readonly meta: BodyMeta,
    readonly mesh: SharedMesh | undefined,
    colour: V3,
  ) {
    this.colourOf = new THREE.Color().setRGB(...colour, THREE.LinearSRGBColorSpace);
    const deforms = meta.points > 0;
    const skin = deforms && meta.skin && mesh?.data.skinIndex !== undefined;
    this.look = makeLook(this.colourOf, { skin, doubleSided: deforms && !meta.skin, scalars: deforms && !skin, finish: meta.finish });
    if (mesh && mesh.triangles.length > 0) {
      if (skin) this.surface = new SkinSurface(mesh, this.look);
      else if (deforms) this.surface = new PointSurface(mesh, this.look);
      if (this.surface) this.group.add(this.surface.object);
      else this.group.add(this.rigid(mesh));
    }
    if (mesh && mesh.segments.length > 0) this.tubes = this.instances(rodGeometry);
    if (!mesh && deforms) this.balls = this.instances(ballGeometry);
    else if (this.tubes) this.balls = this.instances(ballGeometry);
  }

  private rigid(mesh: SharedMesh): THREE.Mesh {
    const object = new THREE.Mesh(mesh.rigid(), this.look.material);
    object.castShadow = object.receiveShadow = true;
    return object;
  }

  private instances(geometry: THREE.BufferGeometry): Instances {
    const made = new Instances(geometry, this.look.material, this.group);
    made.object.castShadow = made.object.receiveShadow = true;
    return made;
  }

  get moves(): boolean {
    return this.meta.kind !== 'fixed';
  }

  setPose(position: V3, quaternion: Quat): void {
    this.position = position;
    this.quaternion = quaternion;
    this.changed = true;
  }
  setPoints(points: Float32Array): void {
    this.points = points;
    this.changed = true;
    this.surface?.setPoints(points);
  }
  setScalars(scalars: Float32Array | undefined): void {
    this.surface?.setScalars(scalars);
  }

  private placeOf(vertex: number): V3 {
    if (this.points) return [this.points[3 * vertex]!, this.points[3 * vertex + 1]!, this.points[3 * vertex + 2]!];
    const p = this.mesh!.positions;
    return [p[3 * vertex]!, p[3 * vertex + 1]!, p[3 * vertex + 2]!];
  }

  /** `thinnest`: what has no thickness is drawn so thick. */
  update(thinnest: number): void {
    if (this.changed) {
      this.changed = false;
      if (!this.points) {
        this.group.position.set(...this.position);
        this.group.quaternion.set(...this.quaternion);
      }
      this.updateRods(thinnest);
    }
    this.surface?.update();
  }

  private updateRods(thinnest: number): void {
    const white = new THREE.Color(1, 1, 1);
    const radius = Math.max(this.meta.radius, thinnest);
    this.tubes?.begin();
    this.balls?.begin();
    if (this.tubes && this.mesh) {
      const s = this.mesh.segments;
      for (let i = 0; i + 1 < s.length; i += 2) {
        this.tubes.between(this.placeOf(s[i]!), this.placeOf(s[i + 1]!), radius, white);
        this.balls?.at(this.placeOf(s[i]!), [0, 1, 0], [radius, radius, radius], white);
        if (i + 2 === s.length) this.balls?.at(this.placeOf(s[i + 1]!), [0, 1, 0], [radius, radius, radius], white);
      }
    } else if (this.balls && this.points) {
      const r = Math.max(this.meta.radius, 2 * thinnest);
      for (let v = 0; v < this.points.length / 3; ++v) this.balls.at(this.placeOf(v), [0, 1, 0], [r, r, r], white);
    }
    this.tubes?.end();
    this.balls?.end();
  }

  /** Vertices of the drawn mesh where they are now, in the frame of the body's group. */
  drawn(): Float32Array {
    return this.surface?.drawn() ?? this.points ?? this.mesh?.positions ?? new Float32Array();
  }

  private restBox: Box | undefined;
  box(): Box {
    if (this.points) return boxOf(this.points);
    if (!this.mesh) return emptyBox();
    this.restBox ??= boxOf(this.mesh.positions);
    return cornersOf(this.restBox)
      .map((c): V3 => {
        const turned = rotate(this.quaternion, c);
        return [turned[0] + this.position[0], turned[1] + this.position[1], turned[2] + this.position[2]];
      })
      .reduce(grown, emptyBox());
  }

  /** Where a ray meets its surface. Ropes and particles are met where it comes near. */
  meet(ray: Ray, limit: number, near: number): Hit | undefined {
    if (this.meta.normal) return undefined;
    const box = this.box();
    const centre: V3 = [0, 1, 2].map((k) => (box.low[k]! + box.high[k]!) / 2) as unknown as V3;
    const radius = Math.hypot(...[0, 1, 2].map((k) => (box.high[k]! - box.low[k]!) / 2)) + near;
    if (!(radius >= 0) || !meetsBall(ray, centre, radius * 1.3)) return undefined;
    let local = ray;
    if (!this.points) {
      const back: Quat = [-this.quaternion[0], -this.quaternion[1], -this.quaternion[2], this.quaternion[3]];
      const o: V3 = [0, 1, 2].map((k) => ray.origin[k]! - this.position[k]!) as unknown as V3;
      local = { origin: rotate(back, o), direction: rotate(back, ray.direction) };
    }
    if (this.mesh && this.mesh.triangles.length > 0) return meetSurface(local, this.drawn(), this.mesh.triangles, limit);
    return this.meetRods(local, limit, Math.max(near, this.meta.radius));
  }

  private meetRods(ray: Ray, limit: number, near: number): Hit | undefined {
    let best: Hit | undefined;
    const s = this.mesh?.segments;
    const count = s ? s.length / 2 : (this.points?.length ?? 0) / 3;
    for (let i = 0; i < count; ++i) {
      const a = this.placeOf(s ? s[2 * i]! : i);
      const b = s ? this.placeOf(s[2 * i + 1]!) : a;
      const found = nearSegment(ray, a, b);
      if (found.apart > near || found.distance >= (best?.distance ?? limit)) continue;
      best = { distance: found.distance, triangle: i, weights: [1 - found.at, found.at, 0] };
    }
    return best;
  }

  dispose(): void {
    this.surface?.dispose();
    this.tubes?.dispose();
    this.balls?.dispose();
    this.look.material.dispose();
    this.look.depth?.dispose();
    this.group.removeFromParent();
  }
}
