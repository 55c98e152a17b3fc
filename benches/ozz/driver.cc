// The ozz-animation side of benches/ozz.sh: reads a skeleton and a clip from a file, and times jobs on request.
//
//   driver RIG IFRAMES    the file that the Rust program writes, and the seconds between iframes (0: none)
//   driver ik             prints nanoseconds of a two-bone job and of an aim job, for the program `ik`
//
// Each line of standard input is a request, answered by one line on standard output:
//
//   bytes             bytes of the clip
//   models SECONDS    the model matrices at a time, three rows of four for each joint, in the file's order
//   turn JOB          nanoseconds per joint of one turn of a job: forward, backward, seek, models, crowd

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ozz/animation/offline/animation_builder.h"
#include "ozz/animation/offline/raw_animation.h"
#include "ozz/animation/offline/raw_skeleton.h"
#include "ozz/animation/offline/skeleton_builder.h"
#include "ozz/animation/runtime/animation.h"
#include "ozz/animation/runtime/ik_aim_job.h"
#include "ozz/animation/runtime/ik_two_bone_job.h"
#include "ozz/animation/runtime/local_to_model_job.h"
#include "ozz/animation/runtime/sampling_job.h"
#include "ozz/animation/runtime/skeleton.h"
#include "ozz/base/containers/vector.h"
#include "ozz/base/maths/simd_math.h"
#include "ozz/base/maths/simd_quaternion.h"
#include "ozz/base/maths/soa_transform.h"
#include "ozz/base/maths/transform.h"
#include "ozz/base/span.h"

using ozz::animation::Animation;
using ozz::animation::LocalToModelJob;
using ozz::animation::SamplingJob;
using ozz::animation::Skeleton;
using ozz::animation::offline::RawAnimation;
using ozz::animation::offline::RawSkeleton;

namespace {

// The same numbers as in main.rs.
constexpr int kFrames = 238;
constexpr int kRepeats = 8;
constexpr int kSeeks = 256;
constexpr int kCharacters = 100;
constexpr float kFrame = 1.0f / 60.0f;

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "driver: %s\n", what);
  std::exit(1);
}

struct Joint {
  int parent;
  ozz::math::Transform rest;
};

struct Rig {
  std::vector<Joint> joints;
  RawAnimation clip;  // Its tracks are in the file's order.
};

float Number(std::istream& in) {
  float number;
  if (!(in >> number)) Fail("the rig ends too early");
  return number;
}

ozz::math::Float3 Vector(std::istream& in) {
  const float x = Number(in), y = Number(in), z = Number(in);
  return ozz::math::Float3(x, y, z);
}

ozz::math::Quaternion Rotation(std::istream& in) {
  const float x = Number(in), y = Number(in), z = Number(in), w = Number(in);
  return ozz::math::Quaternion(x, y, z, w);
}

Rig Read(const char* path) {
  std::ifstream in(path);
  if (!in) Fail("the rig cannot be read");
  Rig rig;
  const int count = static_cast<int>(Number(in));
  rig.clip.duration = Number(in);
  for (int joint = 0; joint < count; ++joint) {
    Joint read;
    read.parent = static_cast<int>(Number(in));
    read.rest.translation = Vector(in);
    read.rest.rotation = Rotation(in);
    read.rest.scale = Vector(in);
    rig.joints.push_back(read);
  }
  for (int joint = 0; joint < count; ++joint) {
    RawAnimation::JointTrack track;
    for (int keys = static_cast<int>(Number(in)); keys > 0; --keys) {
      const float time = Number(in);
      track.translations.push_back({time, Vector(in)});
    }
    for (int keys = static_cast<int>(Number(in)); keys > 0; --keys) {
      const float time = Number(in);
      track.rotations.push_back({time, Rotation(in)});
    }
    for (int keys = static_cast<int>(Number(in)); keys > 0; --keys) {
      const float time = Number(in);
      track.scales.push_back({time, Vector(in)});
    }
    rig.clip.tracks.push_back(track);
  }
  return rig;
}

// Returns a joint with its subtree. Names are numbers, because the builder reorders joints.
RawSkeleton::Joint Below(const Rig& rig, int number) {
  RawSkeleton::Joint joint;
  joint.name = std::to_string(number).c_str();
  joint.transform = rig.joints[number].rest;
  for (size_t child = number + 1; child < rig.joints.size(); ++child) {
    if (rig.joints[child].parent == number) joint.children.push_back(Below(rig, static_cast<int>(child)));
  }
  return joint;
}

// The data of one character.
struct Character {
  explicit Character(const Skeleton& skeleton)
      : context(skeleton.num_joints()), locals(skeleton.num_soa_joints()), models(skeleton.num_joints()) {}
  SamplingJob::Context context;
  ozz::vector<ozz::math::SoaTransform> locals;
  ozz::vector<ozz::math::Float4x4> models;
  float time = 0.0f;
};

class Player {
 public:
  Player(const Rig& rig, float iframes) {
    RawSkeleton raw;
    for (size_t joint = 0; joint < rig.joints.size(); ++joint) {
      if (rig.joints[joint].parent < 0) raw.roots.push_back(Below(rig, static_cast<int>(joint)));
    }
    skeleton_ = ozz::animation::offline::SkeletonBuilder()(raw);
    if (!skeleton_) Fail("the skeleton was refused");
    places_.resize(rig.joints.size());
    RawAnimation ordered;
    ordered.duration = rig.clip.duration;
    for (int place = 0; place < skeleton_->num_joints(); ++place) {
      const int number = std::atoi(skeleton_->joint_names()[place]);
      places_[number] = place;
      ordered.tracks.push_back(rig.clip.tracks[number]);
    }
    ozz::animation::offline::AnimationBuilder builder;
    builder.iframe_interval = iframes;
    clip_ = builder(ordered);
    if (!clip_) Fail("the clip was refused");
    for (int character = 0; character < kCharacters; ++character) {
      characters_.push_back(std::make_unique<Character>(*skeleton_));
      characters_.back()->time = clip_->duration() * character / kCharacters;
    }
  }

  size_t Bytes() const { return clip_->size(); }

  void PrintModels(float seconds) {
    Character character(*skeleton_);
    Sample(character, seconds);
    Models(character);
    for (const int place : places_) {
      float columns[4][4];
      for (int column = 0; column < 4; ++column) {
        ozz::math::StorePtrU(character.models[place].cols[column], columns[column]);
      }
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 4; ++column) std::printf("%.9g ", columns[column][row]);
      }
    }
    std::printf("\n");
  }

  // Returns nanoseconds per joint.
  double Turn(const std::string& job) {
    const auto start = std::chrono::steady_clock::now();
    const int64_t poses = Work(job);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    return taken.count() / static_cast<double>(poses * skeleton_->num_joints());
  }

 private:
  void Sample(Character& character, float seconds) {
    SamplingJob job;
    job.animation = clip_.get();
    job.context = &character.context;
    job.ratio = seconds / clip_->duration();
    job.output = ozz::make_span(character.locals);
    if (!job.Run()) Fail("sampling failed");
  }

  void Models(Character& character) {
    LocalToModelJob job;
    job.skeleton = skeleton_.get();
    job.input = ozz::make_span(character.locals);
    job.output = ozz::make_span(character.models);
    if (!job.Run()) Fail("local to model failed");
  }

  // Runs a turn, and returns the number of poses.
  int64_t Work(const std::string& job) {
    Character& one = *characters_[0];
    const float duration = clip_->duration();
    if (job == "forward" || job == "backward") {
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        for (int frame = 0; frame < kFrames; ++frame) {
          const float time = kFrame * frame;
          Sample(one, job == "forward" ? time : duration - time);
        }
      }
      return kRepeats * kFrames;
    }
    if (job == "seek") {
      uint32_t state = 1;
      for (int seek = 0; seek < kSeeks; ++seek) {
        state = state * 1664525u + 1013904223u;
        Sample(one, duration * (state >> 8) / 16777216.0f);
      }
      return kSeeks;
    }
    if (job == "models") {
      for (int frame = 0; frame < kRepeats * kFrames; ++frame) Models(one);
      return kRepeats * kFrames;
    }
    if (job == "crowd") {
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        for (auto& character : characters_) {
          character->time += kFrame;
          if (character->time > duration) character->time -= duration;
          Sample(*character, character->time);
          Models(*character);
        }
      }
      return kRepeats * kCharacters;
    }
    Fail("there is no such job");
  }

  ozz::unique_ptr<Skeleton> skeleton_;
  ozz::unique_ptr<Animation> clip_;
  std::vector<int> places_;  // By number in the file.
  std::vector<std::unique_ptr<Character>> characters_;
};

// Prints nanoseconds of a two-bone job and of an aim job, with the goals of the program `ik`.
void PrintIk() {
  using namespace ozz::math;
  constexpr int kGoals = 4096;
  static float goals[kGoals][3];
  std::mt19937 dice(1);
  std::uniform_real_distribution<float> number(-1, 1);
  for (auto& goal : goals) {
    for (float& x : goal) x = number(dice);
  }
  const Float4x4 start = Float4x4::identity();
  const Float4x4 middle = Float4x4::Translation(simd_float4::Load(0.0f, 0.5f, 0.0f, 0.0f));
  const Float4x4 end = Float4x4::Translation(simd_float4::Load(0.4f, 0.8f, 0.0f, 0.0f));
  float sum = 0.0f;
  double nanoseconds[2];
  for (int kind = 0; kind < 2; ++kind) {
    const auto begin = std::chrono::steady_clock::now();
    for (const auto& goal : goals) {
      SimdQuaternion first, second;
      if (kind == 0) {
        ozz::animation::IKTwoBoneJob job;
        job.target = simd_float4::Load(goal[0] * 0.4f, 0.5f + goal[1] * 0.4f, goal[2] * 0.4f, 0.0f);
        job.mid_axis = simd_float4::z_axis();
        job.pole_vector = simd_float4::z_axis();
        job.start_joint = &start;
        job.mid_joint = &middle;
        job.end_joint = &end;
        job.start_joint_correction = &first;
        job.mid_joint_correction = &second;
        job.Run();
        sum += GetX(first.xyzw) + GetX(second.xyzw);
      } else {
        ozz::animation::IKAimJob job;
        job.target = simd_float4::Load(goal[0] * 5.0f, goal[1] * 5.0f, goal[2] * 5.0f, 0.0f);
        job.forward = simd_float4::z_axis();
        job.offset = simd_float4::Load(0.0f, 0.05f, 0.1f, 0.0f);
        job.joint = &middle;
        job.joint_correction = &first;
        job.Run();
        sum += GetX(first.xyzw);
      }
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    nanoseconds[kind] = taken.count() / kGoals;
  }
  std::printf("%.6f %.6f\n", nanoseconds[0], nanoseconds[1]);
  if (sum == 0.0f) Fail("the jobs did nothing");
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::string(arguments[1]) == "ik") {
    PrintIk();
    return 0;
  }
  if (count != 3) Fail("driver RIG IFRAMES");
  Player player(Read(arguments[1]), static_cast<float>(std::atof(arguments[2])));
  std::string request;
  while (std::cin >> request) {
    if (request == "bytes") {
      std::printf("%zu\n", player.Bytes());
    } else if (request == "models") {
      float seconds = 0.0f;
      std::cin >> seconds;
      player.PrintModels(seconds);
    } else if (request == "turn") {
      std::string job;
      std::cin >> job;
      std::printf("%.6f\n", player.Turn(job));
    } else {
      Fail("there is no such request");
    }
    std::fflush(stdout);
  }
  return 0;
}
